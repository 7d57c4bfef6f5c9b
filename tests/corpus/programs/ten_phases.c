/* SPDX-License-Identifier: Apache-2.0
 * class: 10 to 100 threads
 * bug: the last of ten to arrive opens the gate, by a count that is read after the lock
 * expect: FAILING, two threads or none see ten */
#include "threads.h"

#define THREADS 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived;
static atomic_int opened;

static void *arrive(void *unused)
{
    pthread_mutex_lock(&lock);
    int mine = ++arrived;
    pthread_mutex_unlock(&lock);
#ifdef FIXED
    bool last = mine == THREADS;
#else
    pthread_mutex_lock(&lock);
    bool last = arrived == THREADS && mine > 0;
    pthread_mutex_unlock(&lock);
#endif
    if (last)
        atomic_fetch_add(&opened, 1);
    return unused;
}

int main(void)
{
    run_many(THREADS, arrive);
    assert(atomic_load(&opened) == 1);
}
