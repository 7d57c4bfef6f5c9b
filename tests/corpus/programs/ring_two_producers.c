/* SPDX-License-Identifier: Apache-2.0
 * class: MPMC ring
 * bug: the tail is read and advanced in two steps, so two producers claim one slot
 * expect: FAILING, an item is overwritten */
#include "one_test.h"
#include "threads.h"

static int ring[4];
static atomic_uint tail;

static void *produce(void *item)
{
#ifdef FIXED
    unsigned at = atomic_fetch_add(&tail, 1);
#else
    unsigned at = atomic_load(&tail);
    atomic_store(&tail, at + 1);
#endif
    ring[at % 4] = *(int *)item;
    return NULL;
}

ONE_TEST(both_items_are_there)
{
    int one = 1, two = 2;
    pthread_t a = spawn(produce, &one), b = spawn(produce, &two);
    join(a);
    join(b);
    CU_ASSERT_EQUAL(ring[0] + ring[1] + ring[2] + ring[3], 3);
}
