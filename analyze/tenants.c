// SPDX-License-Identifier: Apache-2.0
#include "analyze/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

/* An address that objects have. */
struct room {
    uint64_t address;
    uint32_t gone;   /* position of its free, until it is allocated again */
    uint32_t tenant; /* the last object that was first used since the last free; its predecessors by finder.before */
};

struct finder {
    const struct hd_trace *t;
    struct hd_tenants *found;
    struct room *room; /* by address */
    size_t rooms;
    bool *used;       /* per object */
    uint32_t *before; /* per object */
};

static int by_address(const void *a, const void *b)
{
    uint64_t p = ((const struct room *)a)->address, q = ((const struct room *)b)->address;
    return p < q ? -1 : p > q;
}

static void list_rooms(struct finder *f)
{
    const struct hd_trace *t = f->t;
    size_t distinct = 0;
    f->room = hd_alloc((t->objects + 1) * sizeof *f->room);
    for (size_t o = 0; o < t->objects; o++)
        if (t->object[o].address)
            f->room[f->rooms++] = (struct room){t->object[o].address, HD_NO_INDEX, HD_NO_INDEX};
    if (f->rooms)
        qsort(f->room, f->rooms, sizeof *f->room, by_address);
    for (size_t i = 0; i < f->rooms; i++)
        if (!i || f->room[i].address != f->room[i - 1].address)
            f->room[distinct++] = f->room[i];
    f->rooms = distinct;
}

static size_t first_from(const struct finder *f, uint64_t address)
{
    size_t low = 0, high = f->rooms;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->room[mid].address < address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void move_out(struct finder *f, struct room *room, uint32_t position)
{
    for (uint32_t o = room->tenant; o != HD_NO_INDEX; o = f->before[o])
        f->found->freed[o] = position;
    room->tenant = HD_NO_INDEX;
    room->gone = position;
}

static void block(struct finder *f, const struct hd_event *e, uint32_t position)
{
    for (size_t i = first_from(f, e->address); i < f->rooms && f->room[i].address - e->address < e->value; i++)
        if (e->kind == HD_FREE)
            move_out(f, &f->room[i], position);
        else
            f->room[i].gone = HD_NO_INDEX;
}

static void use(struct finder *f, uint32_t object)
{
    uint64_t address = f->t->object[object].address;
    if (f->used[object] || !address)
        return;
    struct room *room = &f->room[first_from(f, address)];
    f->used[object] = true;
    f->found->freed[object] = room->gone;
    if (room->gone != HD_NO_INDEX)
        return;
    f->before[object] = room->tenant;
    room->tenant = object;
}

static bool uses_object(const struct hd_trace *t, const struct hd_event *e)
{
    return e->object < t->objects && hd_kind_uses_object(e->kind);
}

static void follow(struct finder *f)
{
    const struct hd_trace *t = f->t;
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        if (e->kind == HD_ALLOC || e->kind == HD_FREE)
            block(f, e, (uint32_t)i);
        else if (uses_object(t, e))
            use(f, e->object);
    }
}

static int by_position(const void *a, const void *b)
{
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static void list_frees(const struct hd_trace *t, struct hd_tenants *found)
{
    size_t room = 0, kept = 0;
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        uint32_t freed = uses_object(t, e) ? found->freed[e->object] : HD_NO_INDEX;
        if (freed == HD_NO_INDEX || (i < freed && e->thread == t->event[freed].thread) ||
            (found->frees && found->free[found->frees - 1] == freed))
            continue;
        HD_GROW(found->free, found->frees, room);
        found->free[found->frees++] = freed;
    }
    if (found->frees)
        qsort(found->free, found->frees, sizeof *found->free, by_position);
    for (size_t i = 0; i < found->frees; i++)
        if (!i || found->free[i] != found->free[i - 1])
            found->free[kept++] = found->free[i];
    found->frees = kept;
}

void hd_tenants_find(const struct hd_trace *t, struct hd_tenants *found)
{
    struct finder f = {.t = t, .found = found};
    *found = (struct hd_tenants){0};
    list_rooms(&f);
    if (f.rooms) {
        found->freed = hd_alloc(t->objects * sizeof *found->freed);
        memset(found->freed, 0xff, t->objects * sizeof *found->freed);
        f.used = hd_alloc(t->objects * sizeof *f.used);
        f.before = hd_alloc(t->objects * sizeof *f.before);
        follow(&f);
        list_frees(t, found);
    }
    free(f.room);
    free(f.used);
    free(f.before);
}

bool hd_tenants_free_at(const struct hd_tenants *found, size_t position)
{
    size_t low = 0, high = found->frees;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (found->free[mid] < position)
            low = mid + 1;
        else
            high = mid;
    }
    return low < found->frees && found->free[low] == position;
}

void hd_tenants_forget(struct hd_tenants *found)
{
    free(found->freed);
    free(found->free);
}
