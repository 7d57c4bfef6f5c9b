/* SPDX-License-Identifier: Apache-2.0
 * class: one of 20 threads
 * bug: the path of one of twenty threads skips the lock
 * expect: FAILING, an update is lost */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *number)
{
    bool locks = (uintptr_t)number != 13;
#ifdef FIXED
    locks = true;
#endif
    if (locks)
        pthread_mutex_lock(&lock);
    total++;
    if (locks)
        pthread_mutex_unlock(&lock);
    return NULL;
}

ONE_TEST(twenty_are_counted)
{
    run_many(20, add);
    CU_ASSERT_EQUAL(total, 20);
}
