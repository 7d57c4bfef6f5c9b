/* SPDX-License-Identifier: Apache-2.0
 * class: a loop of 1,000 iterations
 * bug: only the thousandth iteration publishes the result before it is complete
 * expect: FAILING, a reader takes an incomplete sum */
#include "one_test.h"
#include "threads.h"

#define ROUNDS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static bool complete;
static long seen = -1;

static void *add_up(void *unused)
{
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_mutex_lock(&lock);
#ifndef FIXED
        complete = i == ROUNDS;
        if (complete) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
#endif
        sum += i;
#ifdef FIXED
        complete = i == ROUNDS;
#endif
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *read_it(void *unused)
{
    pthread_mutex_lock(&lock);
    if (complete)
        seen = sum;
    pthread_mutex_unlock(&lock);
    return unused;
}

ONE_TEST(complete_or_nothing)
{
    run_two(add_up, read_it);
    CU_ASSERT(seen == -1 || seen == 500500);
}
