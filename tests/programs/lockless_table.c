/* SPDX-License-Identifier: Apache-2.0
 * Four threads turn the entries of one table over and back without a lock. Every
 * value has many writers, so whether one read could see something else while the
 * others see the same is a question with more states than fit into memory. */
#include <pthread.h>
#include <stddef.h>

#ifndef ENTRIES
#define ENTRIES 120
#endif
#ifndef THREADS
#define THREADS 4
#endif

static unsigned table[ENTRIES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *turn_over(void *data)
{
    unsigned number = (unsigned)(size_t)data;
    for (unsigned i = 0; i < ENTRIES; i++) {
        unsigned at = (i + number * ENTRIES / THREADS) % ENTRIES;
        table[at] ^= 1;
        if (i % 40 == 0) {
            pthread_mutex_lock(&lock);
            table[0] ^= 2;
            pthread_mutex_unlock(&lock);
        }
        table[at] ^= 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, turn_over, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
