/* SPDX-License-Identifier: Apache-2.0
 * class: lost wakeup
 * bug: the waker skips the wakeup when nobody sleeps; the sleeper counts itself after it looked
 * expect: FAILING, the sleeper sleeps for ever */
#include <semaphore.h>

#include "threads.h"

static sem_t wakeup;
static atomic_int sleepers, work;

static void *sleep_until_work(void *unused)
{
#ifdef FIXED
    atomic_fetch_add(&sleepers, 1);
    if (!atomic_load(&work))
        sem_wait(&wakeup);
#else
    if (!atomic_load(&work)) {
        atomic_fetch_add(&sleepers, 1);
        sem_wait(&wakeup);
    }
#endif
    return unused;
}

static void *bring_work(void *unused)
{
    atomic_store(&work, 1);
    if (atomic_load(&sleepers))
        sem_post(&wakeup);
    return unused;
}

int main(void)
{
    sem_init(&wakeup, 0, 0);
    run_two(bring_work, sleep_until_work);
}
