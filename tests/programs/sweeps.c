/* SPDX-License-Identifier: Apache-2.0
 * Long loops of reads, a few writes, a lock: what the repeat filter and the quantum are for. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long limit = 70000, total, table[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void *sum(void *unused)
{
    long mine = 0;
    for (long i = 0; i < limit; i++)
        mine += table[i % 8];
    pthread_mutex_lock(&lock);
    total += mine;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    long *block = malloc(64 * sizeof *block);
    for (int i = 0; i < 64; i++)
        block[i] = i;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sum, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    long last = block[63];
    free(block);
    return last == 63 && total == 2 * 315000 ? 0 : 1;
}
