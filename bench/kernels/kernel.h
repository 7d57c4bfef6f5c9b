/* SPDX-License-Identifier: Apache-2.0
 * What the kernels share: two workers, a cheap generator, and a checksum that
 * keeps the work from being optimized away. A kernel exits 0 when its result is right. */
#ifndef KERNEL_H
#define KERNEL_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 2

static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Runs body(0), body(1), ... in threads of their own and waits for them. */
static inline void in_parallel(void *(*body)(void *))
{
    pthread_t worker[WORKERS];
    for (intptr_t i = 0; i < WORKERS; i++)
        if (pthread_create(&worker[i], NULL, body, (void *)i) != 0)
            exit(2);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
}

#endif
