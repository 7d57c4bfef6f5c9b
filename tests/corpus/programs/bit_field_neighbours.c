/* SPDX-License-Identifier: Apache-2.0
 * class: bit-field neighbours
 * bug: two flags that two threads own share one word
 * expect: FAILING, one of the flags is lost */
#include "one_test.h"
#include "threads.h"

static struct {
    unsigned left : 1;
#ifdef FIXED
    unsigned : 0;
#endif
    unsigned right : 1;
} flags;

static void *set_left(void *unused)
{
    flags.left = 1;
    return unused;
}

static void *set_right(void *unused)
{
    flags.right = 1;
    return unused;
}

ONE_TEST(both_flags_are_set)
{
    run_two(set_left, set_right);
    CU_ASSERT(flags.left && flags.right);
}
