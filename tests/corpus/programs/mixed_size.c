/* SPDX-License-Identifier: Apache-2.0
 * class: mixed-size access
 * bug: a 64-bit word is written in two halves and read in one piece
 * expect: FAILING, half old, half new */
#include "threads.h"

static union { uint64_t whole; uint32_t half[2]; } word;

static void *write_word(void *unused)
{
#ifdef FIXED
    __atomic_store_n(&word.whole, UINT64_C(0x0000000700000007), __ATOMIC_SEQ_CST);
#else
    word.half[0] = 7;
    __asm__ volatile("" ::: "memory");
    word.half[1] = 7;
#endif
    return unused;
}

static void *read_word(void *unused)
{
    uint64_t seen = __atomic_load_n(&word.whole, __ATOMIC_SEQ_CST);
    assert((uint32_t)seen == (uint32_t)(seen >> 32));
    return unused;
}

int main(void)
{
    run_two(write_word, read_word);
}
