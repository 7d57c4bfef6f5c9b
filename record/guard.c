/* SPDX-License-Identifier: Apache-2.0
 * The guards of C++'s static variables: who comes while the variable is being made is
 * parked. The first byte of the real guard says that it is there; compiled code looks
 * at it before it comes here, so setting it is an atomic store of the program's. Who
 * makes the variable owns the object until the end is told, which comes after that:
 * to pass needs the end. */
#include "record/noise.h"
#include "record/runtime.h"

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

typedef void end_fn(uint64_t *);

static struct hd_point point_of(const uint64_t *guard, unsigned kind, uint64_t pc)
{
    return (struct hd_point){ .kind = kind, .object = hd_object((uint64_t)(uintptr_t)guard, HD_OBJECT_ONCE), .pc = pc };
}

static bool is_made(const uint64_t *guard)
{
    return *(const volatile uint8_t *)guard;
}

static int acquire(uint64_t *guard)
{
    static int (*real)(uint64_t *);
    if (!real)
        real = (int (*)(uint64_t *))hd_real("__cxa_guard_acquire");
    return real(guard);
}

HD_EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
    struct hd_thread *self = hd_recorder();
    hd_noise();
    if (!self)
        return acquire(guard);
    struct hd_point point = point_of(guard, is_made(guard) ? HD_ONCE_PASS : HD_ONCE_BEGIN, HD_CALLER);
    hd_sync_begin(self, &point);
    while (hd_object_owner(point.object) && hd_object_owner(point.object) != self)
        hd_block(self, &point);
    int mine = acquire(guard);
    point.kind = mine ? HD_ONCE_BEGIN : HD_ONCE_PASS;
    hd_sync_made(self, &point, 0);
    if (mine)
        hd_object_set_owner(point.object, self);
    return mine;
}

static void over(uint64_t *guard, end_fn *real, bool made, uint64_t pc)
{
    struct hd_thread *self = hd_recorder();
    if (!self) {
        real(guard);
        return;
    }
    struct hd_point point = point_of(guard, HD_ONCE_END, pc);
    if (made)
        hd_atomic_stored_byte(self, guard, real, pc);
    hd_sync_begin(self, &point);
    if (!made)
        real(guard);
    hd_sync_made(self, &point, 0);
    hd_object_set_owner(point.object, NULL);
    hd_wake(point.object);
}

HD_EXPORT void __cxa_guard_release(uint64_t *guard)
{
    static end_fn *real;
    if (!real)
        real = (end_fn *)hd_real("__cxa_guard_release");
    over(guard, real, true, HD_CALLER);
}

HD_EXPORT void __cxa_guard_abort(uint64_t *guard)
{
    static end_fn *real;
    if (!real)
        real = (end_fn *)hd_real("__cxa_guard_abort");
    over(guard, real, false, HD_CALLER);
}
