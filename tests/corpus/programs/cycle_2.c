/* SPDX-License-Identifier: Apache-2.0
 * class: deadlock, cycle of 2
 * bug: two locks, taken in opposite order
 * expect: FAILING, deadlock */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add_under(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    sum++;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *forth(void *unused)
{
    add_under(&a, &b);
    return unused;
}

static void *back(void *unused)
{
#ifdef FIXED
    add_under(&a, &b);
#else
    add_under(&b, &a);
#endif
    return unused;
}

int main(void)
{
    run_two(forth, back);
    assert(sum == 2);
}
