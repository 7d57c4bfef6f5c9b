/* SPDX-License-Identifier: Apache-2.0
 * class: deadlock through a semaphore
 * bug: the producer takes the lock first and waits for a free slot second
 * expect: FAILING, deadlock of a semaphore and a mutex */
#include <semaphore.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t slots, items;
static int stored;

static void put(void)
{
#ifdef FIXED
    sem_wait(&slots);
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    sem_wait(&slots);
#endif
    stored++;
    pthread_mutex_unlock(&lock);
    sem_post(&items);
}

static void get(void)
{
    sem_wait(&items);
    pthread_mutex_lock(&lock);
    stored--;
    pthread_mutex_unlock(&lock);
    sem_post(&slots);
}

static void *produce_two(void *unused)
{
    put();
    put();
    return unused;
}

static void *consume_three(void *unused)
{
    for (int i = 0; i < 3; i++)
        get();
    return unused;
}

static void *produce_late(void *unused)
{
    compute();
    put();
    return unused;
}

int main(void)
{
    sem_init(&slots, 0, 2);
    sem_init(&items, 0, 0);
    pthread_t a = spawn(produce_two, NULL), b = spawn(consume_three, NULL), c = spawn(produce_late, NULL);
    join(a);
    join(b);
    join(c);
    assert(stored == 0);
}
