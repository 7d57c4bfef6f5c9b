/* SPDX-License-Identifier: Apache-2.0
 * 128-bit atomics. With the baton nobody else runs, so two halves are one
 * operation; without it, a lock of our own stands for the instruction. In the
 * trace each is an update or a load of its low half and of its high half. */
#include <pthread.h>
#include <stdbool.h>

#include "record/runtime.h"

typedef unsigned __int128 wide;

static _Atomic uint32_t wide_lock;

static void enter(void)
{
    while (atomic_exchange(&wide_lock, 1))
        ;
}

static void leave(void) { atomic_store(&wide_lock, 0); }

static struct hd_thread *begin(struct hd_point *point)
{
    struct hd_thread *t = hd_self;
    if (!t || t->inside)
        return NULL;
    hd_sync_begin(t, point);
    if (t->released)
        return NULL;
    return t;
}

static void half(struct hd_thread *t, const struct hd_point *point, uint64_t address, uint64_t old, uint64_t new_value)
{
    struct hd_record *r = hd_sync_append(t, point);
    r->addr_k = address & HD_48;
    r->value = point->kind == HD_ATOMIC_STORE ? new_value : old;
    hd_ring_publish();
    if (point->kind == HD_ATOMIC_RMW) {
        hd_ring_append(t, HD_RING_SECOND)->value = new_value;
        hd_ring_publish();
    }
    hd_sync_done(t, point);
}

static void made(struct hd_thread *t, const struct hd_point *point, const volatile void *p, wide old, wide new_value)
{
    if (!t)
        return;
    half(t, point, (uint64_t)(uintptr_t)p, (uint64_t)old, (uint64_t)new_value);
    half(t, point, (uint64_t)(uintptr_t)p + 8, (uint64_t)(old >> 64), (uint64_t)(new_value >> 64));
}

#define POINT(k) { .kind = (k), .size = 8, .pc = HD_CALLER }

#define RMW(op, expression)                                                                          \
    HD_EXPORT wide __tsan_atomic128_##op(volatile wide *p, wide v, int order);                       \
    HD_EXPORT wide __tsan_atomic128_##op(volatile wide *p, wide v, int order)                        \
    {                                                                                                \
        (void)order;                                                                                 \
        struct hd_point point = POINT(HD_ATOMIC_RMW);                                                \
        struct hd_thread *t = begin(&point);                                                         \
        enter();                                                                                     \
        wide old = *p, next = (expression);                                                          \
        *p = next;                                                                                   \
        leave();                                                                                     \
        made(t, &point, p, old, next);                                                               \
        return old;                                                                                  \
    }
RMW(exchange, v)
RMW(fetch_add, old + v)
RMW(fetch_sub, old - v)
RMW(fetch_and, old &v)
RMW(fetch_or, old | v)
RMW(fetch_xor, old ^ v)
RMW(fetch_nand, ~(old & v))

HD_EXPORT wide __tsan_atomic128_load(const volatile wide *p, int order);
HD_EXPORT wide __tsan_atomic128_load(const volatile wide *p, int order)
{
    (void)order;
    struct hd_point point = POINT(HD_ATOMIC_LOAD);
    struct hd_thread *t = begin(&point);
    enter();
    wide value = *p;
    leave();
    made(t, &point, p, value, value);
    return value;
}

HD_EXPORT void __tsan_atomic128_store(volatile wide *p, wide v, int order);
HD_EXPORT void __tsan_atomic128_store(volatile wide *p, wide v, int order)
{
    (void)order;
    struct hd_point point = POINT(HD_ATOMIC_STORE);
    struct hd_thread *t = begin(&point);
    enter();
    *p = v;
    leave();
    made(t, &point, p, v, v);
}

static bool exchange_if(volatile wide *p, wide *expected, wide v, uint64_t pc)
{
    struct hd_point point = { .kind = HD_ATOMIC_RMW, .size = 8, .pc = pc };
    struct hd_thread *t = begin(&point);
    enter();
    wide old = *p;
    bool done = old == *expected;
    if (done)
        *p = v;
    leave();
    point.kind = done ? HD_ATOMIC_RMW : HD_ATOMIC_LOAD;
    made(t, &point, p, old, v);
    *expected = old;
    return done;
}

#define CAS(suffix)                                                                                  \
    HD_EXPORT int __tsan_atomic128_compare_exchange_##suffix(volatile wide *p, wide *e, wide v, int order, int fail); \
    HD_EXPORT int __tsan_atomic128_compare_exchange_##suffix(volatile wide *p, wide *e, wide v, int order, int fail)  \
    {                                                                                                \
        (void)order;                                                                                 \
        (void)fail;                                                                                  \
        return exchange_if(p, e, v, HD_CALLER);                                                      \
    }
CAS(strong)
CAS(weak)

HD_EXPORT wide __tsan_atomic128_compare_exchange_val(volatile wide *p, wide e, wide v, int order, int fail);
HD_EXPORT wide __tsan_atomic128_compare_exchange_val(volatile wide *p, wide e, wide v, int order, int fail)
{
    (void)order;
    (void)fail;
    exchange_if(p, &e, v, HD_CALLER);
    return e;
}
