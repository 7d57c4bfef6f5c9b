/* SPDX-License-Identifier: Apache-2.0
 * class: bit-field neighbours
 * bug: each thread has a bit of its own, set by reading and writing the byte
 * expect: FAILING, a bit is lost */
#include "threads.h"

static unsigned char mask;
static atomic_uchar atomic_mask;

static void *mark(void *number)
{
    unsigned char bit = (unsigned char)(1u << (uintptr_t)number);
#ifdef FIXED
    atomic_fetch_or(&atomic_mask, bit);
#else
    mask |= bit;
#endif
    return NULL;
}

int main(void)
{
    run_many(3, mark);
    assert((mask | atomic_load(&atomic_mask)) == 7);
}
