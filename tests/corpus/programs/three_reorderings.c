/* SPDX-License-Identifier: Apache-2.0
 * class: 3 reorderings
 * bug: a handshake that is broken only if each of three looks falls between two steps of the other side
 * expect: FAILING, needs three reads of another order */
#include "threads.h"

static atomic_int a, b, c;
static atomic_int step;

static void *write_all(void *unused)
{
    atomic_store(&a, 1);
    atomic_store(&step, 1);
    atomic_store(&b, 1);
    atomic_store(&step, 2);
    atomic_store(&c, 1);
    atomic_store(&step, 3);
    return unused;
}

static void *look(void *unused)
{
    int none = atomic_load(&a), one = atomic_load(&step), two = atomic_load(&step), three = atomic_load(&step);
#ifdef FIXED
    assert(none <= 1 && one <= two && two <= three);
#else
    assert(!(none == 0 && one == 1 && two == 2 && three == 3));
#endif
    return unused;
}

int main(void)
{
    run_two(look, write_all);
}
