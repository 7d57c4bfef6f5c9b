/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

static uint64_t hash_of(const char *name, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)name[i]) * 1099511628211u;
    return hash ^ hash >> 29;
}

static void rehash(struct hd_name_table *t)
{
    free(t->slot);
    t->slots = t->slots ? t->slots * 2 : 64;
    t->slot = hd_alloc(t->slots * sizeof *t->slot);
    for (uint32_t i = 0; i < t->count; i++) {
        const char *name = t->text + t->start[i];
        size_t at = hash_of(name, strlen(name)) & (t->slots - 1);
        while (t->slot[at])
            at = (at + 1) & (t->slots - 1);
        t->slot[at] = i + 1;
    }
}

static uint32_t append(struct hd_name_table *t, const char *name, size_t length)
{
    while (t->room - t->used <= length) {
        t->room = t->room ? t->room * 2 : 1024;
        t->text = hd_realloc(t->text, t->room, 1);
    }
    HD_GROW(t->start, t->count, t->starts_room);
    t->start[t->count] = t->used;
    memcpy(t->text + t->used, name, length);
    t->text[t->used + length] = 0;
    t->used += length + 1;
    return (uint32_t)t->count++;
}

uint32_t hd_name_put(struct hd_name_table *t, const char *name, size_t length)
{
    if (t->count * 2 >= t->slots)
        rehash(t);
    size_t at = hash_of(name, length) & (t->slots - 1);
    for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
        const char *known = hd_name_text(t, t->slot[at] - 1);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return t->slot[at] - 1;
    }
    uint32_t number = append(t, name, length);
    t->slot[at] = number + 1;
    return number;
}

const char *hd_name_text(const struct hd_name_table *t, uint32_t number)
{
    return t->text + t->start[number];
}

void hd_name_table_free(struct hd_name_table *t)
{
    free(t->text);
    free(t->start);
    free(t->slot);
    *t = (struct hd_name_table){0};
}
