/* SPDX-License-Identifier: Apache-2.0
 * class: signal handler against a thread
 * bug: the handler sets its two words in the wrong order
 * expect: FAILING, the thread sees a signal without its number */
#include <signal.h>

#include "threads.h"

static atomic_int caught, number;

static void on_signal(int signal)
{
#ifdef FIXED
    atomic_store(&number, signal);
    atomic_store(&caught, 1);
#else
    atomic_store(&caught, 1);
    atomic_store(&number, signal);
#endif
}

static void *receive(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

static void *look(void *unused)
{
    if (atomic_load(&caught))
        assert(atomic_load(&number) == SIGUSR1);
    return unused;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    run_two(receive, look);
}
