/* SPDX-License-Identifier: Apache-2.0 */
#include "record/value_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

#define PAGE 4096u

struct page {
    uint64_t number;
    uint8_t byte[PAGE], known[PAGE / 8];
};

struct hd_value_shadow {
    struct page **slot;
    size_t slots, pages, pages_max;
    struct page *last;
};

struct hd_value_shadow *hd_value_shadow_new(uint64_t bytes)
{
    struct hd_value_shadow *s = hd_alloc(sizeof *s);
    s->pages_max = bytes ? (size_t)(bytes / sizeof(struct page)) + 1 : SIZE_MAX;
    s->slots = 1024;
    s->slot = hd_alloc(s->slots * sizeof *s->slot);
    return s;
}

void hd_value_shadow_free(struct hd_value_shadow *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->slots; i++)
        free(s->slot[i]);
    free(s->slot);
    free(s);
}

static struct page **slot_of(struct page **slot, size_t slots, uint64_t number)
{
    size_t i = (size_t)(number * 0x9E3779B97F4A7C15ull >> 32) & (slots - 1);
    while (slot[i] && slot[i]->number != number)
        i = (i + 1) & (slots - 1);
    return &slot[i];
}

static void grow(struct hd_value_shadow *s)
{
    size_t slots = s->slots * 2;
    struct page **slot = hd_alloc(slots * sizeof *slot);
    for (size_t i = 0; i < s->slots; i++)
        if (s->slot[i])
            *slot_of(slot, slots, s->slot[i]->number) = s->slot[i];
    free(s->slot);
    s->slot = slot;
    s->slots = slots;
}

static void forget_all(struct hd_value_shadow *s)
{
    for (size_t i = 0; i < s->slots; i++) {
        free(s->slot[i]);
        s->slot[i] = NULL;
    }
    s->pages = 0;
    s->last = NULL;
}

static struct page *page_of(struct hd_value_shadow *s, uint64_t number, bool make)
{
    if (s->last && s->last->number == number)
        return s->last;
    struct page **p = slot_of(s->slot, s->slots, number);
    if (!*p && make) {
        if (s->pages >= s->pages_max) {
            forget_all(s);
            p = slot_of(s->slot, s->slots, number);
        }
        if (s->pages * 2 >= s->slots) {
            grow(s);
            p = slot_of(s->slot, s->slots, number);
        }
        *p = hd_alloc(sizeof **p);
        (*p)->number = number;
        s->pages++;
    }
    if (*p)
        s->last = *p;
    return *p;
}

/* Within one 8-byte word: `known` has one bit a byte, so one byte a word. */
static bool in_word(uint64_t address, unsigned size)
{
    return (address & 7) + size <= 8;
}

static uint64_t low_bytes(unsigned count)
{
    return count < 8 ? ((uint64_t)1 << 8 * count) - 1 : UINT64_MAX;
}

static bool byte_differs(struct hd_value_shadow *s, uint64_t address, uint8_t value)
{
    struct page *p = page_of(s, address / PAGE, false);
    unsigned at = (unsigned)(address % PAGE);
    return p && p->known[at / 8] & 1u << at % 8 && p->byte[at] != value;
}

static void byte_set(struct hd_value_shadow *s, uint64_t address, uint8_t value)
{
    struct page *p = page_of(s, address / PAGE, true);
    unsigned at = (unsigned)(address % PAGE);
    p->known[at / 8] |= (uint8_t)(1u << at % 8);
    p->byte[at] = value;
}

bool hd_value_shadow_differs(struct hd_value_shadow *s, uint64_t address, unsigned size, uint64_t value)
{
    if (in_word(address, size)) {
        struct page *p = page_of(s, address / PAGE, false);
        unsigned at = (unsigned)(address % PAGE), bytes = (1u << size) - 1;
        unsigned known = p ? p->known[at / 8] >> (at & 7) & bytes : 0;
        uint64_t word = 0;
        if (p)
            memcpy(&word, p->byte + at, size);
        if (!known || ((word ^ value) & low_bytes(size)) == 0)
            return false;
        if (known == bytes)
            return true;
    }
    for (unsigned i = 0; i < size && i < 8; i++)
        if (byte_differs(s, address + i, (uint8_t)(value >> 8 * i)))
            return true;
    return false;
}

void hd_value_shadow_set(struct hd_value_shadow *s, uint64_t address, unsigned size, uint64_t value)
{
    if (in_word(address, size)) {
        struct page *p = page_of(s, address / PAGE, true);
        unsigned at = (unsigned)(address % PAGE);
        p->known[at / 8] |= (uint8_t)(((1u << size) - 1) << (at & 7));
        memcpy(p->byte + at, &value, size);
        return;
    }
    for (unsigned i = 0; i < size && i < 8; i++)
        byte_set(s, address + i, (uint8_t)(value >> 8 * i));
}

void hd_value_shadow_forget(struct hd_value_shadow *s, uint64_t address, uint64_t size)
{
    uint64_t end = address + size < address ? UINT64_MAX : address + size;
    while (address < end) {
        uint64_t page_end = (address / PAGE + 1) * PAGE, until = page_end < end ? page_end : end;
        struct page *p = page_of(s, address / PAGE, false);
        for (uint64_t a = address; p && a < until; a++)
            p->known[a % PAGE / 8] &= (uint8_t) ~(1u << a % 8);
        address = until;
    }
}
