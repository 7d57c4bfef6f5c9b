/* SPDX-License-Identifier: Apache-2.0
 * class: MPMC ring
 * bug: the consumer goes by the tail, which is advanced before the slot is filled
 * expect: FAILING, an empty slot is consumed */
#include "threads.h"

struct slot { atomic_uint turn; int item; };

static struct slot ring[2];
static atomic_uint tail;
static unsigned head;

static void *produce(void *unused)
{
    unsigned at = atomic_fetch_add(&tail, 1);
    struct slot *s = &ring[at % 2];
    s->item = 9;
    atomic_store(&s->turn, at + 1);
    return unused;
}

static void *consume(void *unused)
{
    struct slot *s = &ring[head % 2];
#ifdef FIXED
    bool there = atomic_load(&s->turn) == head + 1;
#else
    bool there = atomic_load(&tail) > head;
#endif
    if (there) {
        head++;
        assert(s->item == 9);
    }
    return unused;
}

int main(void)
{
    run_two(produce, consume);
}
