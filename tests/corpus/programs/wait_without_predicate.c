/* SPDX-License-Identifier: Apache-2.0
 * class: spurious-wakeup-unsafe wait
 * bug: the wait has no predicate at all: a signal before it is lost, one for somebody else is taken
 * expect: FAILING, the waiter sleeps for ever */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static bool gone, waiting;

static void *runner(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting = true;
#ifdef FIXED
    while (!gone)
#endif
        pthread_cond_wait(&go, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *starter(void *unused)
{
    compute();
    compute();
    pthread_mutex_lock(&lock);
    gone = true;
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_two(runner, starter);
    assert(waiting);
}
