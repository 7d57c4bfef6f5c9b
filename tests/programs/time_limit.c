/* SPDX-License-Identifier: Apache-2.0
 * A second is long: who waits that long is signalled by one who first reads under a lock, and yields. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, config;
static volatile int seen;

static void *signals(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&other);
        if (config)
            seen = 1;
        pthread_mutex_unlock(&other);
        sched_yield();
    }
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit;
    int error = 0;
    pthread_create(&thread, NULL, signals, NULL);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    pthread_mutex_lock(&mutex);
    while (!ready && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&cond, &mutex, &limit);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return error;
}
