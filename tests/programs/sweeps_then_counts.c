/* SPDX-License-Identifier: Apache-2.0
 * Two threads sweep arrays of their own until any budget is spent, then count
 * without a lock: the bug, a lost update, is past the budget. With "guarded" the
 * count is locked; with a number, that many shared writes follow. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 100
#define ROUNDS 1500

long filler[64];
static long own[2][WORDS], count;
static int guarded, writes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void sweep(long *word)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WORDS; i++)
            word[i] += i;
}

static void *work(void *arg)
{
    sweep(own[(intptr_t)arg]);
    if (guarded)
        pthread_mutex_lock(&lock);
    count++;
    if (guarded)
        pthread_mutex_unlock(&lock);
    for (int i = 0; i < writes; i++)
        filler[i % 64] = i;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    guarded = argc > 1 && strcmp(argv[1], "guarded") == 0;
    writes = argc > 1 && !guarded ? atoi(argv[1]) : 0;
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return count == 2 ? 0 : 1;
}
