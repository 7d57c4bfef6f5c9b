/* SPDX-License-Identifier: Apache-2.0
 * For every program of the corpus: threads without their ceremony. */
#ifndef CORPUS_THREADS_H
#define CORPUS_THREADS_H

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline pthread_t spawn(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument) != 0)
        abort();
    return thread;
}

static inline void join(pthread_t thread)
{
    if (pthread_join(thread, NULL) != 0)
        abort();
}

static inline void run_two(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a = spawn(first, NULL), b = spawn(second, NULL);
    join(a);
    join(b);
}

/* COUNT threads, each with its number as argument. */
static inline void run_many(unsigned count, void *(*body)(void *))
{
    pthread_t thread[128];
    assert(count <= 128);
    for (unsigned i = 0; i < count; i++)
        thread[i] = spawn(body, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < count; i++)
        join(thread[i]);
}

/* Work of some milliseconds on nothing shared: why a plain run almost always goes well. */
static inline void compute(void)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 2000000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    __asm__ volatile("" ::"r"(x));
}

#endif
