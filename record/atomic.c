/* SPDX-License-Identifier: Apache-2.0
 * Atomic operations: scheduling points, each one synchronization event. An update
 * is one event with the value it read and the value it wrote; a compare-exchange
 * that fails is a load. All are carried out sequentially consistent, as the baton
 * makes them anyway.
 *
 * A thread that looks at the same value again and again makes no news: loads
 * between the first and the last are dropped (they count in n, and the last one
 * says how many), and after a few the thread is passed over until what it looks
 * at changes or nobody else can run. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "record/noise.h"
#include "record/runtime.h"

#define LOOKS_BEFORE_PAUSE 3
#define ATOMICS_BEFORE_PAUSE 2000

void __tsan_write1(void *);
void __tsan_write2(void *);
void __tsan_write4(void *);
void __tsan_write8(void *);

static uint64_t value_at(uint64_t address, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, size > 8 ? 8 : size);
    return value;
}

bool hd_atomic_is_same(const struct hd_thread *t)
{
    return value_at(t->look.address, t->look.size) == t->look.value;
}

static struct hd_record *append(struct hd_thread *t, const struct hd_point *point, uint64_t address, uint64_t value,
                                uint32_t dropped)
{
    struct hd_record *r = hd_sync_append(t, point);
    r->pc_k = (point->pc & HD_48) | (uint64_t)(dropped & 0xFFFF) << 48;
    r->addr_k = (address & HD_48) | (uint64_t)(dropped >> 16) << 48;
    r->value = value;
    return r;
}

/* The last of the loads that were held back. */
void hd_atomic_flush(struct hd_thread *t)
{
    if (!t->look.dropped)
        return;
    struct hd_point point = { .kind = HD_ATOMIC_LOAD, .size = t->look.size, .pc = t->look.pc };
    uint32_t dropped = t->look.dropped;
    t->look.dropped = 0;
    append(t, &point, t->look.address, t->look.value, dropped - 1)->stack = t->look.stack;
    hd_ring_publish();
}

static bool repeats(struct hd_thread *t, uint64_t address, uint64_t value, uint64_t pc)
{
    return t->look.n == t->n && t->look.address == address && t->look.value == value && t->look.pc == pc &&
           t->k == 0 && t->look.stack == hd_stack_node(t);
}

static void loaded(struct hd_thread *t, struct hd_point *point, uint64_t address, uint64_t value)
{
    if (repeats(t, address, value, point->pc)) {
        t->look.dropped++;
        hd_sync_done(t, point);
        t->look.n = t->n;
        if (t->look.dropped < LOOKS_BEFORE_PAUSE || (hd_run.policy->enforcing && hd_run.policy->enforcing()))
            return;
        t->spinning = true;
        hd_spin_pause(t);
        t->spinning = false;
        return;
    }
    hd_atomic_flush(t);
    append(t, point, address, value, 0);
    hd_ring_publish();
    hd_sync_done(t, point);
    t->look.address = address;
    t->look.pc = point->pc;
    t->look.value = value;
    t->look.stack = hd_stack_node(t);
    t->look.size = point->size;
    t->look.n = t->n;
}

static void updated(struct hd_thread *t, struct hd_point *point, uint64_t address, uint64_t value, uint64_t second)
{
    append(t, point, address, value, 0);
    hd_ring_publish();
    if (point->kind == HD_ATOMIC_RMW) {
        t->wrote |= value != second;
        hd_ring_append(t, HD_RING_SECOND)->value = second;
        hd_ring_publish();
    }
    hd_sync_done(t, point);
}

/* Before the operation; NULL: it is not recorded. */
static struct hd_thread *begin(struct hd_point *point)
{
    struct hd_thread *t = hd_self;
    if (!t)
        hd_noise();
    if (!t || t->inside)
        return NULL;
    hd_sync_begin(t, point);
    if (t->released)
        return NULL;
    if (++t->atomics > ATOMICS_BEFORE_PAUSE && !(hd_run.policy->enforcing && hd_run.policy->enforcing())) {
        t->atomics = 0;
        hd_give_way(t, hd_next_ready(t));
    }
    return t->released ? NULL : t;
}

void hd_atomic_stored_byte(struct hd_thread *t, uint64_t *at, void (*store)(uint64_t *), uint64_t pc)
{
    struct hd_point point = { .kind = HD_ATOMIC_STORE, .size = 1, .pc = pc };
    hd_sync_begin(t, &point);
    store(at);
    if (!t->released)
        updated(t, &point, (uint64_t)(uintptr_t)at, value_at((uint64_t)(uintptr_t)at, 1), 0);
}

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))
#define POINT(k) { .kind = (k), .size = sizeof *p, .pc = HD_CALLER }

#define RMW(bits, type, op, written)                                                                 \
    HD_EXPORT type __tsan_atomic##bits##_##op(volatile type *p, type v, int order);                  \
    HD_EXPORT type __tsan_atomic##bits##_##op(volatile type *p, type v, int order)                   \
    {                                                                                                \
        (void)order;                                                                                 \
        struct hd_point point = POINT(HD_ATOMIC_RMW);                                                \
        struct hd_thread *t = begin(&point);                                                         \
        type old = RMW_##op(p, v);                                                                   \
        if (t)                                                                                       \
            updated(t, &point, ADDRESS(p), (uint64_t)old, (uint64_t)(type)(written));                \
        return old;                                                                                  \
    }
#define RMW_exchange(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define RMW_fetch_add(p, v) __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define RMW_fetch_sub(p, v) __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST)
#define RMW_fetch_and(p, v) __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST)
#define RMW_fetch_or(p, v) __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define RMW_fetch_xor(p, v) __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST)
#define RMW_fetch_nand(p, v) __atomic_fetch_nand(p, v, __ATOMIC_SEQ_CST)

/* What a failed exchange stores in *expected is the user's own write, made in our call-out. */
#define STORE_EXPECTED(type, expected, old)                                                          \
    do {                                                                                             \
        if (sizeof(type) == 1) __tsan_write1(expected);                                              \
        else if (sizeof(type) == 2) __tsan_write2(expected);                                         \
        else if (sizeof(type) == 4) __tsan_write4(expected);                                         \
        else __tsan_write8(expected);                                                                \
        *(expected) = (old);                                                                         \
    } while (0)

#define CAS(bits, type, suffix)                                                                      \
    HD_EXPORT int __tsan_atomic##bits##_compare_exchange_##suffix(volatile type *p, type *expected,  \
                                                                  type v, int order, int fail);      \
    HD_EXPORT int __tsan_atomic##bits##_compare_exchange_##suffix(volatile type *p, type *expected,  \
                                                                  type v, int order, int fail)       \
    {                                                                                                \
        (void)order;                                                                                 \
        (void)fail;                                                                                  \
        struct hd_point point = POINT(HD_ATOMIC_RMW);                                                \
        struct hd_thread *t = begin(&point);                                                         \
        type old = *expected;                                                                        \
        if (__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {    \
            if (t)                                                                                   \
                updated(t, &point, ADDRESS(p), (uint64_t)old, (uint64_t)v);                          \
            return 1;                                                                                \
        }                                                                                            \
        point.kind = HD_ATOMIC_LOAD;                                                                 \
        if (t)                                                                                       \
            loaded(t, &point, ADDRESS(p), (uint64_t)old);                                            \
        if (*expected != old)                                                                        \
            STORE_EXPECTED(type, expected, old);                                                     \
        return 0;                                                                                    \
    }

#define ATOMICS(bits, type)                                                                          \
    HD_EXPORT type __tsan_atomic##bits##_load(const volatile type *p, int order);                    \
    HD_EXPORT type __tsan_atomic##bits##_load(const volatile type *p, int order)                     \
    {                                                                                                \
        (void)order;                                                                                 \
        struct hd_point point = POINT(HD_ATOMIC_LOAD);                                               \
        struct hd_thread *t = begin(&point);                                                         \
        type value = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                           \
        if (t)                                                                                       \
            loaded(t, &point, ADDRESS(p), (uint64_t)value);                                          \
        return value;                                                                                \
    }                                                                                                \
    HD_EXPORT void __tsan_atomic##bits##_store(volatile type *p, type v, int order);                 \
    HD_EXPORT void __tsan_atomic##bits##_store(volatile type *p, type v, int order)                  \
    {                                                                                                \
        (void)order;                                                                                 \
        struct hd_point point = POINT(HD_ATOMIC_STORE);                                              \
        struct hd_thread *t = begin(&point);                                                         \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                    \
        if (t)                                                                                       \
            updated(t, &point, ADDRESS(p), (uint64_t)v, 0);                                          \
    }                                                                                                \
    RMW(bits, type, exchange, v)                                                                     \
    RMW(bits, type, fetch_add, old + v)                                                              \
    RMW(bits, type, fetch_sub, old - v)                                                              \
    RMW(bits, type, fetch_and, old & v)                                                              \
    RMW(bits, type, fetch_or, old | v)                                                               \
    RMW(bits, type, fetch_xor, old ^ v)                                                              \
    RMW(bits, type, fetch_nand, ~(old & v))                                                          \
    CAS(bits, type, strong)                                                                          \
    CAS(bits, type, weak)                                                                            \
    HD_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type e, type v, int order, int fail); \
    HD_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type e, type v, int order, int fail) \
    {                                                                                                \
        (void)order;                                                                                 \
        (void)fail;                                                                                  \
        struct hd_point point = POINT(HD_ATOMIC_RMW);                                                \
        struct hd_thread *t = begin(&point);                                                         \
        type old = e;                                                                                \
        bool done = __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        point.kind = done ? HD_ATOMIC_RMW : HD_ATOMIC_LOAD;                                          \
        if (t && done)                                                                               \
            updated(t, &point, ADDRESS(p), (uint64_t)old, (uint64_t)v);                              \
        else if (t)                                                                                  \
            loaded(t, &point, ADDRESS(p), (uint64_t)old);                                            \
        return old;                                                                                  \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

HD_EXPORT void __tsan_atomic_thread_fence(int order);
HD_EXPORT void __tsan_atomic_thread_fence(int order)
{
    struct hd_point point = { .kind = HD_FENCE, .pc = HD_CALLER };
    struct hd_thread *t = begin(&point);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (t)
        hd_sync_made(t, &point, (uint64_t)order);
}

HD_EXPORT void __tsan_atomic_signal_fence(int order);
HD_EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
