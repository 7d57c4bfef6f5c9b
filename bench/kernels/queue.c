/* SPDX-License-Identifier: Apache-2.0
 * Producer and consumer over a bounded buffer with a mutex and two conditions. */
#include "kernel.h"

#define ROOM 64
#define BLOCKS 1000
#define BLOCK 20000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static uint32_t *queue[ROOM];
static int first, count;
static uint64_t sum;

static void put(uint32_t *block)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    queue[(first + count++) % ROOM] = block;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static uint32_t *take(void)
{
    pthread_mutex_lock(&lock);
    while (!count)
        pthread_cond_wait(&not_empty, &lock);
    uint32_t *block = queue[first];
    first = (first + 1) % ROOM;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return block;
}

static void consume(uint32_t *block)
{
    for (int i = 0; i < BLOCK; i++)
        sum += block[i];
    free(block);
}

static void produce(void)
{
    for (int b = 0; b < BLOCKS; b++) {
        uint32_t *block = malloc(BLOCK * sizeof *block);
        for (int i = 0; i < BLOCK; i++)
            block[i] = (uint32_t)(b ^ i);
        put(block);
    }
}

static void *work(void *arg)
{
    if (arg)
        for (int b = 0; b < BLOCKS; b++)
            consume(take());
    else
        produce();
    return NULL;
}

int main(void)
{
    in_parallel(work);
    return sum == 0;
}
