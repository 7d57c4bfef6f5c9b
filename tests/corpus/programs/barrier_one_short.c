/* SPDX-License-Identifier: Apache-2.0
 * class: barrier misuse
 * bug: the barrier is for two of the three threads
 * expect: FAILING, the sum is taken before all have added, or the third waits for ever */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t added;
static int sum;

static void add(void)
{
    pthread_mutex_lock(&lock);
    sum += 5;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
    add();
    pthread_barrier_wait(&added);
    return unused;
}

static void *free_worker(void *unused)
{
    add();
#ifdef FIXED
    pthread_barrier_wait(&added);
#endif
    return unused;
}

int main(void)
{
#ifdef FIXED
    pthread_barrier_init(&added, NULL, 3);
#else
    pthread_barrier_init(&added, NULL, 2);
#endif
    pthread_t a = spawn(free_worker, NULL), b = spawn(worker, NULL);
    compute();
    pthread_barrier_wait(&added);
    pthread_mutex_lock(&lock);
    int seen = sum;
    pthread_mutex_unlock(&lock);
    join(a);
    join(b);
    assert(seen == 10);
}
