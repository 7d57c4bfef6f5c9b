/* SPDX-License-Identifier: Apache-2.0
 * class: lost wakeup
 * bug: flag and signal come without the lock, so both fit between the look and the wait
 * expect: FAILING, the waiter sleeps for ever */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int items;

static void *produce(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&items, 1);
    pthread_cond_signal(&changed);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!atomic_load(&items))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

ONE_TEST(the_consumer_ends)
{
    run_two(produce, consume);
    CU_ASSERT_EQUAL(atomic_load(&items), 1);
}
