/* SPDX-License-Identifier: Apache-2.0
 * class: gate lock
 * bug: one of the two threads forgets the gate that makes the opposite order harmless
 * expect: FAILING, deadlock; with the gate in both: nothing */
#include "threads.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_lock(&gate);
    add_under(&a, &b);
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *back(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&gate);
#endif
    add_under(&b, &a);
#ifdef FIXED
    pthread_mutex_unlock(&gate);
#endif
    return unused;
}

int main(void)
{
    run_two(forth, back);
    assert(sum == 2);
}
