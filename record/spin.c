/* SPDX-License-Identifier: Apache-2.0
 * Spinlocks: mutexes whose waiters are parked instead of burning the baton. */
#include <errno.h>

#include "record/noise.h"
#include "record/runtime.h"

typedef int spin_fn(pthread_spinlock_t *);

static spin_fn *real_lock, *real_trylock, *real_unlock;

static void resolve(void)
{
    if (real_lock)
        return;
    real_trylock = (spin_fn *)hd_real("pthread_spin_trylock");
    real_unlock = (spin_fn *)hd_real("pthread_spin_unlock");
    real_lock = (spin_fn *)hd_real("pthread_spin_lock");
}

static struct hd_point point_of(pthread_spinlock_t *s, unsigned kind, uint64_t pc)
{
    return (struct hd_point){ .kind = kind, .object = hd_object((uint64_t)(uintptr_t)s, HD_OBJECT_SPIN), .pc = pc };
}

HD_EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
    hd_noise();
    resolve();
    struct hd_thread *self = hd_self;
    if (!self)
        return real_lock(s);
    struct hd_point point = point_of(s, HD_LOCK, HD_CALLER);
    hd_sync_begin(self, &point);
    while (real_trylock(s) == EBUSY)
        hd_block(self, &point);
    hd_object_set_owner(point.object, self);
    hd_sync_made(self, &point, 0);
    return 0;
}

HD_EXPORT int pthread_spin_trylock(pthread_spinlock_t *s)
{
    hd_noise();
    resolve();
    struct hd_thread *self = hd_self;
    if (!self)
        return real_trylock(s);
    struct hd_point point = point_of(s, HD_LOCK, HD_CALLER);
    hd_sync_begin(self, &point);
    int error = real_trylock(s);
    if (error == EBUSY)
        point.kind = HD_TRYLOCK_FAIL;
    else
        hd_object_set_owner(point.object, self);
    hd_sync_made(self, &point, 0);
    return error;
}

HD_EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
    hd_noise();
    resolve();
    struct hd_thread *self = hd_self;
    if (!self) {
        int error = real_unlock(s);
        if (hd_run.free_baton)
            hd_stranger_acted();
        return error;
    }
    struct hd_point point = point_of(s, HD_UNLOCK, HD_CALLER);
    hd_sync_begin(self, &point);
    int error = real_unlock(s);
    hd_object_set_owner(point.object, NULL);
    hd_sync_made(self, &point, 0);
    hd_wake(point.object);
    return error;
}

HD_EXPORT int pthread_spin_destroy(pthread_spinlock_t *s)
{
    typedef int fn(pthread_spinlock_t *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_spin_destroy");
    if (hd_self)
        hd_object_destroy((uint64_t)(uintptr_t)s, HD_CALLER);
    return real(s);
}

HD_EXPORT int pthread_spin_init(pthread_spinlock_t *s, int shared)
{
    typedef int fn(pthread_spinlock_t *, int);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_spin_init");
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)s);
    return real(s, shared);
}
