/* SPDX-License-Identifier: Apache-2.0
 * class: ABA on a stack
 * bug: the compare-exchange of pop() does not notice that the top went and came back
 * expect: FAILING, a node that is in use is on the stack */
#include "threads.h"

/* A reference: the number of a node, 0 for none, and above it a count of changes. */
#ifdef FIXED
#define TAG 0x100u
#else
#define TAG 0u
#endif

static atomic_uint top = 1;
static unsigned next[3] = { 0, 2, 0 };
static bool mine[3];

static unsigned pop(void)
{
    unsigned seen = atomic_load(&top);
    while (seen & 0xff) {
        unsigned below = next[seen & 0xff];
        if (atomic_compare_exchange_strong(&top, &seen, (seen & ~0xffu) + TAG + below))
            break;
    }
    return seen & 0xff;
}

static void push(unsigned node)
{
    unsigned seen = atomic_load(&top);
    do
        next[node] = seen & 0xff;
    while (!atomic_compare_exchange_strong(&top, &seen, (seen & ~0xffu) + TAG + node));
}

static void *take_one(void *unused)
{
    pop();
    return unused;
}

static void *take_two_give_one(void *unused)
{
    unsigned first = pop(), second = pop();
    mine[second] = second != 0;
    if (first)
        push(first);
    return unused;
}

int main(void)
{
    run_two(take_one, take_two_give_one);
    assert(!mine[atomic_load(&top) & 0xff]);
}
