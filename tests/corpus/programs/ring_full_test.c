/* SPDX-License-Identifier: Apache-2.0
 * class: MPMC ring
 * bug: "full" is decided before the slot is claimed
 * expect: FAILING, the oldest item is overwritten */
#include "threads.h"

#define SIZE 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[SIZE] = { 5, 0 };
static unsigned head = 0, tail = 1;

static bool is_full(void)
{
    return tail - head == SIZE;
}

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    bool full = is_full();
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (!full)
        ring[tail++ % SIZE] = 6;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_two(produce, produce);
    assert(ring[0] == 5 && tail - head <= SIZE);
}
