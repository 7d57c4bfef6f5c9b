/* SPDX-License-Identifier: Apache-2.0
 * class: flag published before data
 * bug: the flag goes up before the data is there
 * expect: FAILING, the reader takes what is not there yet */
#include "threads.h"

static int data;
static atomic_bool ready;

static void *publish(void *unused)
{
#ifdef FIXED
    data = 42;
    atomic_store(&ready, true);
#else
    atomic_store(&ready, true);
    data = 42;
#endif
    return unused;
}

static void *consume(void *unused)
{
    if (atomic_load(&ready))
        assert(data == 42);
    return unused;
}

int main(void)
{
    run_two(publish, consume);
}
