/* SPDX-License-Identifier: Apache-2.0 */
#include "record/owner.h"

#include <string.h>
#include <sys/mman.h>

#include "record/runtime.h"

#define ERA_MAX 0xFFFFFu
#define ID_MAX 0xFFDu
#define READERS (0xFFFu << 20)
#define SHARED UINT64_MAX
#define JOINED UINT32_MAX

uint64_t *hd_owner_word;
uint64_t hd_owner_mask;
uint32_t hd_owner_readers;
static uint64_t mapped;
static uint32_t joined, quiet;

/* Another window only makes more addresses meet in one word, which is safe: the word then has the
 * accesses of both. */
static void map_window(void)
{
    for (unsigned bits = 36; bits >= 20; bits -= 2) {
        void *p = mmap(NULL, (size_t)1 << bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1, 0);
        if (p == MAP_FAILED)
            continue;
        madvise(p, (size_t)1 << bits, MADV_DONTDUMP);
        hd_owner_word = p;
        mapped = (uint64_t)1 << bits;
        hd_owner_mask = mapped - 1;
        return;
    }
    hd_exhausted();
}

static void set_quiet(uint32_t value)
{
    quiet = value & ERA_MAX;
    hd_owner_readers = READERS | quiet;
}

void hd_owner_reset(void)
{
    if (!hd_owner_word)
        map_window();
    else
        madvise(hd_owner_word, mapped, MADV_DONTNEED);
    joined = 0;
    set_quiet(0);
}

static uint32_t id_of(uint32_t code) { return (code >> 20) - 1; }

static void set_code(struct hd_thread *t)
{
    t->code = t->id >= ID_MAX ? 0 : (t->id + 1u) << 20 | t->era;
}

/* Is what the code's thread did in that era before anything `t` does now, in every run? */
static bool is_ordered(struct hd_thread *t, uint32_t code)
{
    uint32_t id = id_of(code);
    if (code == 0 || id == t->id)
        return true;
    return id < t->clocks && t->clock[id] > (code & ERA_MAX);
}

static bool readers_are_ordered(struct hd_thread *t, uint32_t code)
{
    if ((code & READERS) == READERS)
        return (code & ERA_MAX) != quiet;
    return is_ordered(t, code);
}

static bool touch_word(struct hd_thread *t, uint64_t *word, bool writes)
{
    uint64_t old = *word;
    uint32_t writer = (uint32_t)(old >> 32), reader = (uint32_t)old;
    if (old == SHARED || !t->code || !is_ordered(t, writer) || (writes && !readers_are_ordered(t, reader))) {
        *word = SHARED;
        return true;
    }
    t->ordered = writer;
    if (writes)
        *word = (uint64_t)t->code << 32 | t->code;
    else
        *word = (uint64_t)writer << 32 | (readers_are_ordered(t, reader) ? t->code : hd_owner_readers);
    return false;
}

bool hd_owner_touch(struct hd_thread *t, uint64_t address, unsigned size, bool writes)
{
    if (!hd_owner_word)
        return true;
    if (!t->code)
        set_code(t);
    bool shared = touch_word(t, hd_owner_of(address), writes);
    if ((address & 7) + size > 8)
        shared |= touch_word(t, hd_owner_of(address + 7), writes);
    return shared;
}

void hd_owner_share(uint64_t address)
{
    if (hd_owner_word)
        *hd_owner_of(address) = SHARED;
}

void hd_owner_forget(uint64_t address, uint64_t size)
{
    if (!hd_owner_word || !size || size > mapped)
        return;
    for (uint64_t from = address & ~7ull, end = address + size; from < end;) {
        uint64_t room = mapped - (from & hd_owner_mask), left = end - from;
        uint64_t now = left < room ? left : room;
        memset(hd_owner_of(from), 0, (now + 7) & ~7ull);
        from += now;
    }
}

/* Entries beyond `clocks` are 0. */
static void reserve(struct hd_thread *t, uint32_t size)
{
    if (size > t->clock_room) {
        t->clock_room = size + size / 2 + 8;
        uint32_t *clock = hd_arena(t->clock_room * sizeof *clock);
        if (t->clocks)
            memcpy(clock, t->clock, t->clocks * sizeof *clock);
        t->clock = clock;
    }
    t->clocks = size > t->clocks ? size : t->clocks;
}

static void receive(struct hd_thread *t, const struct hd_thread *from, uint32_t own)
{
    uint32_t used = from->clocks < hd_run.threads ? from->clocks : hd_run.threads;
    reserve(t, used > from->id + 1u ? used : from->id + 1u);
    for (uint32_t i = 0; i < used; i++)
        if (from->clock[i] > t->clock[i])
            t->clock[i] = from->clock[i];
    t->clock[from->id] = own;
}

void hd_owner_created(struct hd_thread *self, struct hd_thread *child)
{
    receive(child, self, self->era < ERA_MAX ? self->era + 1 : ERA_MAX);
    if (self->era < ERA_MAX)
        self->era++;
    set_code(self);
}

/* When a thread has joined all others, directly or not, all that was is before all that comes. */
void hd_owner_joined(struct hd_thread *self, struct hd_thread *target)
{
    receive(self, target, JOINED);
    if (++joined + 1 == hd_run.threads)
        set_quiet(quiet + 1);
}
