/* SPDX-License-Identifier: Apache-2.0
 * class: 10 to 100 threads
 * bug: fifty threads mark their slots in one bitmap; the words are not updated atomically
 * expect: FAILING, a mark is lost */
#include "threads.h"

static uint64_t plain_map;
static _Atomic uint64_t map;

static void *mark(void *number)
{
    uint64_t bit = UINT64_C(1) << (uintptr_t)number;
#ifdef FIXED
    atomic_fetch_or(&map, bit);
#else
    plain_map |= bit;
#endif
    return NULL;
}

int main(void)
{
    run_many(50, mark);
    assert((plain_map | atomic_load(&map)) == (UINT64_C(1) << 50) - 1);
}
