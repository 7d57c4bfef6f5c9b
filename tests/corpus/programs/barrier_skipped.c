/* SPDX-License-Identifier: Apache-2.0
 * class: barrier misuse
 * bug: a thread without work leaves without passing the barrier
 * expect: FAILING, the others wait for ever */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t phase;
static int jobs = 2;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    bool got = jobs > 0;
    jobs -= got;
    if (got && jobs == 0)
        jobs = -1;
    pthread_mutex_unlock(&lock);
#ifndef FIXED
    if (!got)
        return unused;
#endif
    pthread_barrier_wait(&phase);
    return unused;
}

static void *steal_job(void *unused)
{
    compute();
    pthread_mutex_lock(&lock);
    if (jobs > 0)
        jobs = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_barrier_init(&phase, NULL, 2);
    pthread_t a = spawn(work, NULL), b = spawn(work, NULL), thief = spawn(steal_job, NULL);
    join(a);
    join(b);
    join(thief);
}
