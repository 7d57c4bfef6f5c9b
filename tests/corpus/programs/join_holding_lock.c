/* SPDX-License-Identifier: Apache-2.0
 * class: deadlock through join
 * bug: the thread that is joined needs the lock that the joiner holds
 * expect: FAILING, deadlock of a mutex and a join */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int results;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    results++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker = spawn(work, NULL);
    sched_yield();
    compute();
    pthread_mutex_lock(&lock);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
    join(worker);
    pthread_mutex_lock(&lock);
#else
    join(worker);
#endif
    assert(results == 1);
    pthread_mutex_unlock(&lock);
}
