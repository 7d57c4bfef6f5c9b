/* SPDX-License-Identifier: Apache-2.0
 * class: signal handler against a thread
 * bug: the handler and a thread count in one variable without an atomic update
 * expect: FAILING, a count is lost */
#include <signal.h>

#include "one_test.h"
#include "threads.h"

static atomic_int events;

static void count(void)
{
#ifdef FIXED
    atomic_fetch_add(&events, 1);
#else
    atomic_store(&events, atomic_load(&events) + 1);
#endif
}

static void on_signal(int signal)
{
    (void)signal;
    count();
}

static void *receive(void *unused)
{
    raise(SIGUSR2);
    return unused;
}

static void *act(void *unused)
{
    count();
    return unused;
}

ONE_TEST(both_events_count)
{
    signal(SIGUSR2, on_signal);
    run_two(receive, act);
    CU_ASSERT_EQUAL(atomic_load(&events), 2);
}
