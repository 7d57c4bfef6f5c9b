/* SPDX-License-Identifier: Apache-2.0
 * How many bytes were asked for, by block: address to size, open addressing, no
 * deletion; a block at a reused address replaces the old one. What was freed or
 * allocated unseen is noticed by what the allocator says it holds. */
#include <malloc.h>

#include "record/runtime.h"

#define SLACK 64 /* more than the allocator ever rounds up by */

static struct block { uint64_t address; size_t size; } *slot;
static size_t slots, used;

static struct block *find(struct block *table, size_t size, uint64_t address)
{
    size_t i = (size_t)(address * 0x9E3779B97F4A7C15ull >> 20) & (size - 1);
    while (table[i].address && table[i].address != address)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static void grow(void)
{
    size_t size = slots ? slots * 2 : 1024;
    struct block *table = hd_arena(size * sizeof *table);
    for (size_t i = 0; i < slots; i++)
        if (slot[i].address)
            *find(table, size, slot[i].address) = slot[i];
    slot = table;
    slots = size;
}

void hd_block_made(void *p, size_t size)
{
    if (used * 2 >= slots)
        grow();
    struct block *b = find(slot, slots, (uint64_t)(uintptr_t)p);
    used += !b->address;
    *b = (struct block){ (uint64_t)(uintptr_t)p, size };
}

size_t hd_block_size(void *p)
{
    size_t held = malloc_usable_size(p);
    struct block *b = slots ? find(slot, slots, (uint64_t)(uintptr_t)p) : NULL;
    return b && b->address && b->size <= held && held - b->size < SLACK ? b->size : held;
}
