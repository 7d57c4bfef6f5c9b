/* SPDX-License-Identifier: Apache-2.0
 * class: benign race
 * bug: none: a statistic that nobody relies on is counted without a lock
 * expect: harmless, in both forms */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits, sum;

static void *work(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
#else
    hits++;
#endif
    pthread_mutex_lock(&lock);
    sum += 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_two(work, work);
    assert(sum == 4 && hits >= 1 && hits <= 2);
}
