/* SPDX-License-Identifier: Apache-2.0
 * class: spurious-wakeup-unsafe wait
 * bug: the consumer does not look again after the wait
 * expect: FAILING, it takes what another consumer took */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, lowest;

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (items == 0)
#else
    if (items == 0)
#endif
        pthread_cond_wait(&filled, &lock);
    if (--items < lowest)
        lowest = items;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *produce(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_broadcast(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

ONE_TEST(never_below_zero)
{
    pthread_t a = spawn(produce, NULL), b = spawn(consume, NULL), c = spawn(consume, NULL);
    join(a);
    join(b);
    join(c);
    CU_ASSERT_EQUAL(lowest, 0);
}
