/* SPDX-License-Identifier: Apache-2.0
 * class: benign race
 * bug: none: a progress display reads a counter that only grows
 * expect: harmless, in both forms */
#include "threads.h"

static atomic_int exact;
static int done;

static void *work(void *unused)
{
    for (int i = 0; i < 5; i++) {
#ifdef FIXED
        atomic_fetch_add(&exact, 1);
#else
        done++;
#endif
    }
    return unused;
}

static void *display(void *unused)
{
#ifdef FIXED
    int first = atomic_load(&exact), second = atomic_load(&exact);
#else
    int first = *(volatile int *)&done, second = *(volatile int *)&done;
#endif
    assert(first <= second && second <= 5);
    return unused;
}

int main(void)
{
    run_two(work, display);
    assert(done + atomic_load(&exact) == 5);
}
