/* SPDX-License-Identifier: Apache-2.0
 * class: atomicity, two atomic operations
 * bug: an atomic load and an atomic store do not make an atomic update
 * expect: FAILING, one of the tickets is sold twice */
#include "one_test.h"
#include "threads.h"

static atomic_int left = 10;

static void *sell(void *unused)
{
#ifdef FIXED
    atomic_fetch_sub(&left, 1);
#else
    atomic_store(&left, atomic_load(&left) - 1);
#endif
    return unused;
}

ONE_TEST(two_sold)
{
    run_two(sell, sell);
    CU_ASSERT_EQUAL(atomic_load(&left), 8);
}
