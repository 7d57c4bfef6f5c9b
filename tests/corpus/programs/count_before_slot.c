/* SPDX-License-Identifier: Apache-2.0
 * class: flag published before data
 * bug: the count goes up before the slot is filled
 * expect: FAILING, the consumer takes a slot without an item */
#include "one_test.h"
#include "threads.h"

static int slot[8];
static atomic_int count;
static int bad;

static void *produce(void *unused)
{
    for (int i = 0; i < 3; i++) {
        int at = atomic_load(&count);
#ifdef FIXED
        slot[at] = i + 1;
        atomic_store(&count, at + 1);
#else
        atomic_store(&count, at + 1);
        slot[at] = i + 1;
#endif
    }
    return unused;
}

static void *consume(void *unused)
{
    int n = atomic_load(&count);
    for (int i = 0; i < n; i++)
        bad += slot[i] != i + 1;
    return unused;
}

ONE_TEST(no_empty_slot)
{
    run_two(produce, consume);
    CU_ASSERT_EQUAL(bad, 0);
}
