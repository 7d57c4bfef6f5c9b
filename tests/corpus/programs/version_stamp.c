/* SPDX-License-Identifier: Apache-2.0
 * class: half-done multi-word update
 * bug: a sequence lock whose writer does not make the version odd first
 * expect: FAILING, a torn pair with an unchanged version */
#include "threads.h"

static atomic_uint version;
static atomic_int low, high;

static void *write_both(void *unused)
{
#ifdef FIXED
    atomic_fetch_add(&version, 1);
#endif
    atomic_store(&low, 5);
    atomic_store(&high, 5);
#ifdef FIXED
    atomic_fetch_add(&version, 1);
#else
    atomic_fetch_add(&version, 2);
#endif
    return unused;
}

static void *read_both(void *unused)
{
    unsigned before = atomic_load(&version);
    int a = atomic_load(&low), b = atomic_load(&high);
    bool valid = before % 2 == 0 && atomic_load(&version) == before;
    assert(!valid || a == b);
    return unused;
}

int main(void)
{
    run_two(write_both, read_both);
}
