/* SPDX-License-Identifier: Apache-2.0
 * A test with a lost update behind ROUNDS rounds of work: what a replay costs where a test is long. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { WORDS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total, words[2][WORDS];
static int rounds;

static void *worker(void *seed)
{
    long *own = words[(long)seed];
    own[0] = (long)seed + 1;
    for (int i = 0; i < rounds; i++) {
        for (int k = 1; k < WORDS; k++)
            own[k] = own[k] * 31 + own[k - 1];
        if (i % 64 == 0) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
    }
    pthread_mutex_lock(&lock);
    long seen = total;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    total = seen + 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    rounds = argc > 1 ? atoi(argv[1]) : 1000;
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(total == 2);
    return 0;
}
