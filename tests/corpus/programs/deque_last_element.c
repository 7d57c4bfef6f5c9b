/* SPDX-License-Identifier: Apache-2.0
 * class: work-stealing deque
 * bug: owner and thief both look at the indexes, then take; for the last element that is too late
 * expect: FAILING, one job is taken twice */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int job[4] = { 11, 12, 13, 14 };
static atomic_int top, bottom = 1;
static int taken[15];

static void take(int item)
{
    pthread_mutex_lock(&lock);
    taken[item]++;
    pthread_mutex_unlock(&lock);
}

static void *own_pop(void *unused)
{
    int at = atomic_load(&bottom) - 1;
    atomic_store(&bottom, at);
    int first = atomic_load(&top);
    if (first < at) {
        take(job[at]);
    } else if (first == at) {
#ifdef FIXED
        if (atomic_compare_exchange_strong(&top, &first, first + 1))
            take(job[at]);
#else
        take(job[at]);
        atomic_store(&top, first + 1);
#endif
        atomic_store(&bottom, at + 1);
    } else {
        atomic_store(&bottom, at + 1);
    }
    return unused;
}

static void *steal(void *unused)
{
    int first = atomic_load(&top);
    if (first < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &first, first + 1))
        take(job[first]);
    return unused;
}

ONE_TEST(each_job_once)
{
    run_two(own_pop, steal);
    CU_ASSERT_EQUAL(taken[11], 1);
}
