/* SPDX-License-Identifier: Apache-2.0
 * The compiler's call-outs for plain accesses, and the repeat filter.
 *
 * A call-out comes before its access, so the value of either kind is taken at
 * the thread's next call-out: until then the record is pending at the ring's
 * head. A crash thus happens in the user's frame, never in ours.
 *
 * Repeat filter: within a stretch without own writes and synchronization, the
 * third and later reads of a location from one site and stack say nothing new
 * but that the value stayed. The last of them is kept, so that a schedule which
 * would change the value in between is seen to do so. Nothing here depends on
 * what an address is, only on which addresses are equal.
 *
 * Past its budget of accesses, a recording keeps those to shared words (owner.h),
 * and of the others the first thousand of every site. */
#include <string.h>

#include "record/noise.h"
#include "record/owner.h"
#include "record/runtime.h"
#include "record/user_memory.h"

static uint64_t value_at(uint64_t address, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, size);
    return value;
}

/* The kind comes last: with it the record is a pending access. */
static struct hd_record *fill(struct hd_record *r, struct hd_thread *t, unsigned kind, uint64_t address, unsigned size,
                              uint64_t pc, uint32_t k, uint32_t stack)
{
    r->size = (uint8_t)size;
    r->thread = t->id;
    r->stack = stack;
    r->pc_k = (pc & HD_48) | (uint64_t)(k & 0xFFFF) << 48;
    r->addr_k = (address & HD_48) | (uint64_t)(k >> 16) << 48;
    r->value = 0;
    atomic_signal_fence(memory_order_seq_cst);
    r->kind = (uint8_t)kind;
    return r;
}

static struct hd_record *append(struct hd_thread *t, unsigned kind, uint64_t address, unsigned size, uint64_t pc,
                                uint32_t k, uint32_t stack)
{
    return fill(hd_ring_slot(), t, kind, address, size, pc, k, stack);
}

/* The pieces of a written range after its first: they were not there yet when it was announced. */
static void flush_range(struct hd_thread *t, struct hd_record first, uint64_t shift)
{
    uint64_t at = hd_record_address(&first) + first.size;
    uint32_t k = hd_record_k(&first);
    for (size_t left = t->range_left, size; left; left -= size, at += size) {
        size = left < 8 ? left : 8;
        append(t, first.kind, at, (unsigned)size, hd_record_pc(&first), ++k, first.stack)->value =
            value_at(at + shift, (unsigned)size);
        hd_ring_publish();
    }
}

static void flush_second(struct hd_thread *t)
{
    struct hd_record *r = hd_ring_slot();
    *r = t->second;
    r->value = value_at(hd_record_address(r), r->size);
    hd_ring_publish();
}

/* The value is found `shift` bytes from where it is written to. */
static inline void flush_from(struct hd_thread *t, uint64_t shift)
{
    unsigned was = t->pending;
    t->pending = HD_PENDING_NONE;
    t->slot->value = value_at(hd_record_address(t->slot) + shift, t->slot->size);
    if (__builtin_expect(was != HD_PENDING_RANGE, 1)) {
        hd_ring_publish();
        if (was == HD_PENDING_PAIR)
            flush_second(t);
        return;
    }
    struct hd_record first = *t->slot;
    hd_ring_publish();
    flush_range(t, first, shift);
}

/* With the baton, or by whoever takes it away. */
void hd_access_complete(struct hd_thread *t)
{
    if (t->pending)
        flush_from(t, 0);
}

void hd_access_abandon(struct hd_thread *t, uint64_t fault)
{
    if (!t->pending)
        return;
    uint64_t address = hd_record_address(t->slot);
    if (fault - address >= t->slot->size + 8u && hd_user_mapped(address, t->slot->size))
        return;
    t->slot->kind = HD_NONE;
    t->pending = HD_PENDING_NONE;
}

void hd_access_flush(struct hd_thread *t)
{
    if (__builtin_expect(atomic_load_explicit(&t->taken, memory_order_relaxed), 0))
        hd_taken_return(t);
    hd_access_complete(t);
}

static void segment_end(struct hd_thread *t)
{
    for (uint32_t i = 0; i < t->filter_used; i++) {
        struct hd_seen *s = &t->seen[t->filter_slot[i]];
        if (s->count < 3)
            continue;
        struct hd_record *r = append(t, HD_RING_LAST_READ, s->address, s->size, s->pc, s->last_k, s->stack);
        r->value = value_at(s->address, s->size);
        hd_ring_publish();
    }
    t->filter_stamp += t->filter_used != 0;
    t->filter_used = 0;
}

void hd_access_interval(struct hd_thread *t)
{
    hd_access_flush(t);
    segment_end(t);
    t->fast_until = 0;
}

/* The order of the last reads in the ring depends on when they were first seen; the parent sorts them by k. */
static bool is_repeat(struct hd_thread *t, uint64_t address, unsigned size, uint64_t pc, uint32_t k, uint32_t stack)
{
    if (t->filter_used >= HD_FILTER_SLOTS / 2)
        segment_end(t);
    uint64_t h = (address ^ pc * 31 ^ (uint64_t)stack << 20) * 0x9E3779B97F4A7C15ull;
    for (uint32_t i = (uint32_t)(h >> 54) % HD_FILTER_SLOTS;; i = (i + 1) % HD_FILTER_SLOTS) {
        struct hd_seen *s = &t->seen[i];
        if (s->stamp != t->filter_stamp) {
            *s = (struct hd_seen){ address, pc, stack, t->filter_stamp, 1, k, (uint8_t)size };
            t->filter_slot[t->filter_used++] = (uint16_t)i;
            return false;
        }
        if (s->address == address && s->pc == pc && s->stack == stack && s->size == size) {
            s->last_k = k;
            return ++s->count > 2;
        }
    }
}

/* Accesses that a site made past the budget to words that were not shared. */
#define HEAT_BITS 14
#define HOT 1000

static struct { uint32_t pc, count; } heat[1u << HEAT_BITS];

static inline uint32_t heat_slot(uint64_t pc)
{
    return (uint32_t)pc * 0x9E3779B1u >> (32 - HEAT_BITS);
}

static inline bool is_known_hot(uint64_t pc)
{
    uint32_t i = heat_slot(pc);
    return heat[i].pc == (uint32_t)pc && heat[i].count >= HOT;
}

/* Where the table is crowded a site never gets hot. */
static bool is_hot(uint64_t pc)
{
    for (uint32_t i = heat_slot(pc), end = i + 16; i != end; i++) {
        uint32_t at = i % (1u << HEAT_BITS);
        if (heat[at].pc == 0)
            heat[at].pc = (uint32_t)pc;
        if (heat[at].pc == (uint32_t)pc)
            return heat[at].count >= HOT || ++heat[at].count >= HOT;
    }
    return false;
}

static uint64_t logged, limit; /* records of accesses so far, and when to think about them */

void hd_access_reset(void)
{
    const struct hd_shared *s = hd_run.shared;
    logged = 0;
    limit = s->budget ? s->budget : s->accesses_max ? s->accesses_max : UINT64_MAX;
    limit = s->accesses_max && s->accesses_max < limit ? s->accesses_max : limit;
    memset(heat, 0, sizeof heat);
    hd_run.reduced = hd_run.capped = false;
    hd_owner_reset();
}

static void say_reduced(struct hd_thread *t)
{
    hd_access_interval(t);
    hd_ring_append(t, HD_RING_REDUCED)->value = hd_run.capped;
    hd_ring_publish();
}

/* The next limit is reached; the one of size may be below the budget. */
static void spend(struct hd_thread *t)
{
    const struct hd_shared *s = hd_run.shared;
    hd_run.capped = s->accesses_max && logged >= s->accesses_max;
    hd_run.reduced = hd_run.capped || (s->budget && logged >= s->budget);
    limit = hd_run.capped || !s->accesses_max ? UINT64_MAX : s->accesses_max;
    if (hd_run.reduced)
        say_reduced(t);
}

static void log_access(struct hd_thread *t, uint64_t address, unsigned size, unsigned kind, uint64_t pc, uint32_t k)
{
    uint32_t stack = hd_stack_node(t);
    if (kind == HD_WRITE)
        segment_end(t);
    else if (!hd_run.shared->keep_repeats && is_repeat(t, address, size, pc, k, stack))
        return;
    logged++;
    if (t->pending) {
        fill(&t->second, t, kind, address, size, pc, k, stack);
        t->pending = HD_PENDING_PAIR;
        return;
    }
    t->slot = append(t, kind, address, size, pc, k, stack);
    t->pending = HD_PENDING_ONE;
}

/* gcc announces what an assignment of structures writes, then what it reads, then makes it. Between the two
 * calls there is room for nothing but the second one's arguments. */
#define ARGUMENTS_CODE 32

static bool is_near(const struct hd_thread *t, uint64_t pc)
{
    return (pc & HD_48) - hd_record_pc(t->slot) <= ARGUMENTS_CODE;
}

/* It may be such a read, or one behind a write that was made: either way the write is there at the next
 * call-out, and until then nobody else runs. */
static bool may_be_assignment(const struct hd_thread *t, unsigned size, unsigned kind, uint64_t pc)
{
    return kind == HD_READ && t->pending == HD_PENDING_ONE && t->slot->kind == HD_WRITE && t->slot->size == size &&
           is_near(t, pc) && t->k < t->stop_k && logged < limit && !atomic_load_explicit(&t->taken, memory_order_relaxed);
}

/* The short way takes over where only k is to be counted; see is_own(). */
static __attribute__((noinline)) void access_event(struct hd_thread *t, uint64_t address, unsigned size,
                                                   unsigned kind, uint64_t pc)
{
    if (!may_be_assignment(t, size, kind, pc))
        hd_access_flush(t);
    if (t->k >= t->stop_k)
        hd_access_stop(t, kind, size, pc);
    if (t->released)
        return;
    if (logged >= limit)
        spend(t);
    uint32_t k = t->k++;
    t->wrote |= kind == HD_WRITE;
    bool shared = hd_owner_is_shared(address, size) || hd_owner_touch(t, address, size, kind == HD_WRITE);
    if (!hd_run.capped && (shared || !hd_run.reduced || !is_hot(pc)))
        log_access(t, address, size, kind, pc, k);
    t->fast_until = hd_run.reduced && !t->pending ? t->stop_k : 0;
}

/* Nothing changes in the word's entry by this access, and it is not shared. */
static inline bool is_own(const struct hd_thread *t, uint64_t address, unsigned kind)
{
    uint64_t word = *hd_owner_of(address), own = t->code;
    if (kind == HD_WRITE)
        return word == (own << 32 | own);
    return (uint32_t)word == own || ((uint32_t)word == hd_owner_readers && word >> 32 == t->ordered);
}

static inline void access_of(struct hd_thread *t, const void *p, unsigned size, unsigned kind, uint64_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)p;
    uint32_t k = t->k;
    if (__builtin_expect(k < t->fast_until && is_own(t, address, kind) && is_known_hot(pc), 1))
        t->k = k + 1;
    else
        access_event(t, address, size, kind, pc);
}

void hd_access_one(struct hd_thread *t, const void *p, unsigned size, unsigned kind, uint64_t pc)
{
    access_of(t, p, size, kind, pc);
}

void hd_access_mark(struct hd_thread *t, unsigned kind, uint64_t address, uint64_t value, uint64_t pc)
{
    hd_access_interval(t);
    if (hd_kind_is_access(kind) && t->k >= t->stop_k)
        hd_access_stop(t, kind, 0, pc);
    if (t->released)
        return;
    uint32_t k = hd_kind_is_access(kind) ? t->k++ : t->k;
    t->wrote |= kind == HD_ALLOC || kind == HD_FREE;
    if (kind == HD_ALLOC)
        hd_owner_forget(address, value);
    append(t, kind, address, 0, pc, k, hd_stack_node(t))->value = value;
    hd_ring_publish();
}

/* The words of a range are logged together: one that is shared makes all of them so. */
static void touch_range(struct hd_thread *t, uint64_t address, size_t size)
{
    bool shared = false;
    for (uint64_t at = address & ~7ull; at < address + size; at += 8)
        shared |= hd_owner_touch(t, at, 8, true);
    if (shared)
        hd_owner_share(address);
}

/* A write's bytes come after its call-out, all at once: one stop, then the values of all pieces. */
static void range_written(struct hd_thread *t, const char *p, size_t size, uint64_t pc)
{
    size_t first = 8 - ((uintptr_t)p & 7);
    if (size > first)
        touch_range(t, (uint64_t)(uintptr_t)p, size);
    access_event(t, (uint64_t)(uintptr_t)p, (unsigned)(first < size ? first : size), HD_WRITE, pc);
    if (size <= first || t->released)
        return;
    size_t left = size - first;
    t->k += (uint32_t)((left + 7) / 8);
    if (!t->pending)
        return;
    t->pending = HD_PENDING_RANGE;
    t->range_left = left;
    logged += (left + 7) / 8;
}

static inline void access_noise(void)
{
    if (__builtin_expect(hd_run.noise, 0))
        hd_noise_make(HD_NOISE_ACCESS);
}

/* Pieces of at most 8 bytes, none across an 8-byte boundary. */
void hd_access_range(struct hd_thread *t, const void *p, size_t size, unsigned kind, uint64_t pc)
{
    const char *at = p;
    if (!t)
        access_noise();
    if (t && size && kind == HD_WRITE) {
        range_written(t, p, size, pc);
        return;
    }
    while (t && size) {
        size_t piece = 8 - ((uintptr_t)at & 7);
        piece = piece > size ? size : piece;
        access_of(t, at, (unsigned)piece, kind, pc);
        at += piece;
        size -= piece;
    }
}

/* In an assignment, when the read comes, what will be written is still at the source. */
static void range_read(struct hd_thread *t, const void *p, size_t size, uint64_t pc)
{
    if (t && t->pending == HD_PENDING_RANGE && size == t->slot->size + t->range_left &&
        is_near(t, pc)) {
        uint64_t to = hd_record_address(t->slot), from = (uint64_t)(uintptr_t)p;
        if (to + size <= from || from + size <= to)
            flush_from(t, from - to);
    }
    hd_access_range(t, p, size, HD_READ, pc);
}

#define CALLOUT(name, size, kind)                                                                    \
    HD_EXPORT void name(void *p);                                                                    \
    HD_EXPORT void name(void *p)                                                                     \
    {                                                                                                \
        struct hd_thread *t;                                                                         \
        if (__builtin_expect(!hd_run.recording, 1))                                                  \
            access_noise();                                                                          \
        else if ((t = hd_self) != NULL)                                                              \
            access_of(t, p, size, kind, HD_CALLER);                                                  \
        else if (!hd_known && !hd_run.unknown)                                                       \
            hd_run.unknown = 1;                                                                      \
    }
#define CALLOUTS(size)                                                                               \
    CALLOUT(__tsan_read##size, size, HD_READ)                                                        \
    CALLOUT(__tsan_write##size, size, HD_WRITE)                                                      \
    CALLOUT(__tsan_volatile_read##size, size, HD_READ)                                               \
    CALLOUT(__tsan_volatile_write##size, size, HD_WRITE)
#define UNALIGNED(size)                                                                              \
    CALLOUT(__tsan_unaligned_read##size, size, HD_READ)                                              \
    CALLOUT(__tsan_unaligned_write##size, size, HD_WRITE)                                            \
    CALLOUT(__tsan_unaligned_volatile_read##size, size, HD_READ)                                     \
    CALLOUT(__tsan_unaligned_volatile_write##size, size, HD_WRITE)
CALLOUTS(1)
CALLOUTS(2)
CALLOUTS(4)
CALLOUTS(8)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)

#define RANGE(name, kind, ...)                                                                       \
    HD_EXPORT void name(void *p __VA_ARGS__);                                                        \
    HD_EXPORT void name(void *p __VA_ARGS__)
#define BOTH16(name, kind)                                                                           \
    RANGE(name, kind) { hd_access_range(hd_self, p, 16, kind, HD_CALLER); }
RANGE(__tsan_read16, HD_READ) { range_read(hd_self, p, 16, HD_CALLER); }
BOTH16(__tsan_write16, HD_WRITE)
BOTH16(__tsan_volatile_read16, HD_READ)
BOTH16(__tsan_volatile_write16, HD_WRITE)
RANGE(__tsan_unaligned_read16, HD_READ) { range_read(hd_self, p, 16, HD_CALLER); }
BOTH16(__tsan_unaligned_write16, HD_WRITE)
RANGE(__tsan_read_range, HD_READ, , unsigned long size) { range_read(hd_self, p, size, HD_CALLER); }
RANGE(__tsan_write_range, HD_WRITE, , unsigned long size)
{
    struct hd_thread *t = hd_self;
    hd_access_range(t, p, size, HD_WRITE, HD_CALLER);
    if (t && t->pending == HD_PENDING_ONE) {
        t->pending = HD_PENDING_RANGE; /* also one that fits a word */
        t->range_left = 0;
    }
}

HD_EXPORT void __tsan_vptr_read(void **p);
HD_EXPORT void __tsan_vptr_read(void **p)
{
    if (hd_self)
        access_of(hd_self, p, sizeof *p, HD_READ, HD_CALLER);
}
HD_EXPORT void __tsan_vptr_update(void **p, void *new_value);
HD_EXPORT void __tsan_vptr_update(void **p, void *new_value)
{
    (void)new_value;
    if (hd_self)
        access_of(hd_self, p, sizeof *p, HD_WRITE, HD_CALLER);
}

HD_EXPORT void __tsan_init(void);
HD_EXPORT void __tsan_init(void) { }

/* The caller's frame pointer: frames that a longjmp left behind lie at or below it. */
static inline void leave_frames(struct hd_thread *t, uintptr_t cfa)
{
    while (t->frames && t->frame[t->frames - 1].cfa <= cfa)
        t->frames--;
}

HD_EXPORT void __tsan_func_entry(void *pc);
HD_EXPORT void __tsan_func_entry(void *pc)
{
    if (__builtin_expect(!hd_run.recording, 1))
        return;
    struct hd_thread *t = hd_self;
    if (t == NULL)
        return;
    if (t->pending)
        hd_access_flush(t);
    uintptr_t cfa = *(uintptr_t *)__builtin_frame_address(0);
    leave_frames(t, cfa);
    if (t->frames < HD_FRAMES_MAX)
        t->frame[t->frames++] = (struct hd_frame){ cfa, (uint64_t)(uintptr_t)pc, 0 };
}

HD_EXPORT void __tsan_func_exit(void);
HD_EXPORT void __tsan_func_exit(void)
{
    if (__builtin_expect(!hd_run.recording, 1))
        return;
    struct hd_thread *t = hd_self;
    if (t == NULL)
        return;
    if (t->pending)
        hd_access_flush(t);
    leave_frames(t, *(uintptr_t *)__builtin_frame_address(0));
}
