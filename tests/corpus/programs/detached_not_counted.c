/* SPDX-License-Identifier: Apache-2.0
 * class: detached-thread lifetime
 * bug: the detached thread counts itself, so the shutdown may come before it counts
 * expect: FAILING, the shutdown does not wait for it */
#include <semaphore.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running, saved;
static sem_t ended;

static void count(int difference)
{
    pthread_mutex_lock(&lock);
    running += difference;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *save(void *unused)
{
#ifndef FIXED
    count(1);
#endif
    pthread_mutex_lock(&lock);
    saved = 1;
    pthread_mutex_unlock(&lock);
    count(-1);
    sem_post(&ended);
    return unused;
}

int main(void)
{
    sem_init(&ended, 0, 0);
#ifdef FIXED
    count(1);
#endif
    pthread_detach(spawn(save, NULL));
    sched_yield();
    compute();
    compute();
    pthread_mutex_lock(&lock);
    while (running)
        pthread_cond_wait(&changed, &lock);
    int seen = saved;
    pthread_mutex_unlock(&lock);
    sem_wait(&ended);
    assert(seen == 1);
}
