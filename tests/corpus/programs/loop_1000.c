/* SPDX-License-Identifier: Apache-2.0
 * class: a loop of 1,000 iterations
 * bug: the flush of the last round is not locked
 * expect: FAILING, an item is flushed twice or never */
#include "threads.h"

#define ROUNDS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pending, flushed;

static void *produce(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        pending++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *flush(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    int now = pending;
    pending = 0;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    flushed += now;
    return unused;
}

int main(void)
{
    run_two(produce, flush);
    assert(pending + flushed == ROUNDS);
}
