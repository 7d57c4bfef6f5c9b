/* SPDX-License-Identifier: Apache-2.0
 * class: lost wakeup
 * bug: the condition is looked at before the lock is taken
 * expect: FAILING, the waiter sleeps for ever */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool done;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&done, true);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *wait_for_it(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (!atomic_load(&done))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!atomic_load(&done)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
    return unused;
}

int main(void)
{
    run_two(work, wait_for_it);
}
