/* SPDX-License-Identifier: Apache-2.0
 * class: half-done multi-word update
 * bug: a swap of two entries in two critical sections
 * expect: FAILING, for a moment an entry is there twice */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entry[2] = { 1, 2 };

static void *swap(void *unused)
{
    pthread_mutex_lock(&lock);
    int first = entry[0];
    entry[0] = entry[1];
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    entry[1] = first;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *check(void *unused)
{
    pthread_mutex_lock(&lock);
    int sum = entry[0] + entry[1];
    pthread_mutex_unlock(&lock);
    assert(sum == 3);
    return unused;
}

int main(void)
{
    run_two(swap, check);
}
