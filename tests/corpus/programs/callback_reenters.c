/* SPDX-License-Identifier: Apache-2.0
 * class: callback under lock
 * bug: a callback that is registered late unsubscribes itself under the lock of the list
 * expect: FAILING, it waits for a lock that its own thread holds */
#include "threads.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*subscriber)(void);
static int calls;

static void call_once_only(void)
{
    calls++;
    pthread_mutex_lock(&list_lock);
    subscriber = NULL;
    pthread_mutex_unlock(&list_lock);
}

static void *notify(void *unused)
{
    pthread_mutex_lock(&list_lock);
    void (*call)(void) = subscriber;
#ifdef FIXED
    pthread_mutex_unlock(&list_lock);
    if (call)
        call();
#else
    if (call)
        call();
    pthread_mutex_unlock(&list_lock);
#endif
    return unused;
}

static void *subscribe(void *unused)
{
    compute();
    pthread_mutex_lock(&list_lock);
    subscriber = call_once_only;
    pthread_mutex_unlock(&list_lock);
    return unused;
}

int main(void)
{
    run_two(notify, subscribe);
    assert(calls <= 1);
}
