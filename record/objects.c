/* SPDX-License-Identifier: Apache-2.0
 * Synchronization objects: an address gets an id at first use, and a new one
 * after it was destroyed or initialised again: two locks at one reused address
 * are two locks. Nothing that was handed out moves when the tables grow. */
#include <string.h>

#include "record/runtime.h"

#define FIRST_SLOTS (1u << 12)
#define CHUNK 4096u
#define CHUNKS 4096u

struct slot { uint64_t address; uint32_t id; };
struct object { struct hd_thread *owner; uint64_t data; };

static struct slot *slot;
static struct slot latest; /* that was asked for: a lock is soon let go of */
static uint32_t slots, used; /* slots: a power of two; used: those with an address, forgotten ones too */
static struct object *chunk[CHUNKS];
static uint32_t objects;
static uint8_t on_page[1u << 12]; /* by page: had an object; pages may meet */

static struct object *object_at(uint32_t id)
{
    return &chunk[id / CHUNK][id % CHUNK];
}

static uint32_t find(uint64_t address)
{
    uint32_t i = (uint32_t)((address * 0x9E3779B97F4A7C15ull) >> 40) & (slots - 1);
    while (slot[i].address && slot[i].address != address)
        i = (i + 1) & (slots - 1);
    return i;
}

/* Half of the slots stay free; forgotten ones go. */
static void grow(void)
{
    struct slot *old = slot;
    uint32_t count = slots;
    slots *= 2;
    slot = hd_arena(slots * sizeof *slot);
    used = 0;
    for (uint32_t i = 0; i < count; i++)
        if (old[i].id) {
            slot[find(old[i].address)] = old[i];
            used++;
        }
}

static uint32_t next_id(void)
{
    uint32_t id = objects + 1;
    if (id == CHUNK * CHUNKS)
        return 0;
    if (!chunk[id / CHUNK])
        chunk[id / CHUNK] = hd_arena(CHUNK * sizeof **chunk);
    return ++objects;
}

static uint8_t *page_mark(uint64_t address)
{
    return &on_page[(address >> 12) % sizeof on_page];
}

static uint32_t make(uint32_t i, uint64_t address, unsigned kind)
{
    uint32_t id = next_id();
    if (!id)
        return 0;
    used += slot[i].address == 0;
    slot[i] = (struct slot){ address, id };
    *page_mark(address) = 1;
    if (used > slots / 2)
        grow();
    struct hd_record *r = hd_ring_append(NULL, HD_RING_OBJECT);
    r->addr_k = address & HD_48;
    r->value = kind;
    hd_ring_publish();
    return id;
}

uint32_t hd_object(uint64_t address, unsigned kind)
{
    struct hd_thread *t = hd_self;
    if (t && !hd_access_is_clean(t))
        hd_access_flush(t); /* the tables are for who has the baton */
    if (latest.address == address)
        return latest.id;
    uint32_t i = find(address);
    latest = (struct slot){ address, slot[i].id ? slot[i].id : make(i, address, kind) };
    return latest.id;
}

void hd_object_forget(uint64_t address)
{
    if (hd_self)
        hd_access_flush(hd_self);
    latest.address = 0;
    slot[find(address)].id = 0;
}

struct hd_point hd_destroy_begin(uint64_t address, uint64_t pc)
{
    struct hd_point point = { .kind = HD_DESTROY, .pc = pc };
    hd_access_flush(hd_self);
    point.object = slot[find(address)].id;
    if (point.object)
        hd_sync_begin(hd_self, &point);
    return point;
}

void hd_destroy_made(const struct hd_point *point, uint64_t address, int error)
{
    struct hd_thread *self = hd_self;
    if (self && point->object)
        hd_sync_made(self, point, (uint64_t)error);
    if (self && !error)
        hd_object_forget(address);
}

void hd_object_destroy(uint64_t address, uint64_t pc)
{
    struct hd_point point = hd_destroy_begin(address, pc);
    hd_destroy_made(&point, address, 0);
}

static bool has_objects(uint64_t from, uint64_t until)
{
    for (uint64_t page = from & ~4095ull; page < until; page += 4096)
        if (*page_mark(page))
            return true;
    return false;
}

void hd_objects_forget(uint64_t address, uint64_t size)
{
    uint64_t until = address + size;
    if (!objects || (size / 4096 < sizeof on_page && !has_objects(address, until)))
        return;
    latest.address = 0;
    if (size / 4 < slots)
        for (uint64_t at = (address + 3) & ~3ull; at < until; at += 4)
            slot[find(at)].id = 0;
    else
        for (uint32_t i = 0; i < slots; i++)
            if (slot[i].address >= address && slot[i].address < until)
                slot[i].id = 0;
}

struct hd_thread *hd_object_owner(uint32_t object)
{
    return object ? object_at(object)->owner : NULL;
}

void hd_object_set_owner(uint32_t object, struct hd_thread *t)
{
    if (object && !(t && t->released))
        object_at(object)->owner = t;
}

uint64_t *hd_object_data(uint32_t object)
{
    return &object_at(object)->data;
}

void hd_objects_reset(void)
{
    if (!slot) {
        slots = FIRST_SLOTS;
        slot = hd_arena(slots * sizeof *slot);
        chunk[0] = hd_arena(CHUNK * sizeof **chunk);
    }
    for (uint32_t i = 0; i < CHUNKS && chunk[i]; i++)
        memset(chunk[i], 0, CHUNK * sizeof **chunk);
    memset(slot, 0, slots * sizeof *slot);
    memset(on_page, 0, sizeof on_page);
    latest.address = 0;
    objects = used = 0;
}
