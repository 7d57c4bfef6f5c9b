/* SPDX-License-Identifier: Apache-2.0
 * Mutexes. The state is in the real mutex: it is operated by trylock, busy means
 * parked, and an unlock makes every waiter ready to try again. The owner kept
 * here serves only to see a cycle the moment it closes. */
#include <errno.h>

#include "record/noise.h"
#include "record/sync.h"

typedef int mutex_fn(pthread_mutex_t *);
typedef int timed_fn(pthread_mutex_t *, const struct timespec *);
typedef int clock_fn(pthread_mutex_t *, clockid_t, const struct timespec *);

static struct {
    mutex_fn *lock, *trylock, *unlock, *destroy;
    timed_fn *timedlock;
    clock_fn *clocklock;
} real;

static void resolve(void)
{
    if (real.lock)
        return;
    real.trylock = (mutex_fn *)hd_real("pthread_mutex_trylock");
    real.unlock = (mutex_fn *)hd_real("pthread_mutex_unlock");
    real.destroy = (mutex_fn *)hd_real("pthread_mutex_destroy");
    real.timedlock = (timed_fn *)hd_real("pthread_mutex_timedlock");
    real.clocklock = (clock_fn *)hd_real("pthread_mutex_clocklock");
    real.lock = (mutex_fn *)hd_real("pthread_mutex_lock");
}

static uint32_t object_of(pthread_mutex_t *m)
{
    return hd_object((uint64_t)(uintptr_t)m, HD_OBJECT_MUTEX);
}

/* trylock says busy where lock would say what is wrong: an error-checking mutex
 * that its owner locks again. */
static bool relock_is_error(const pthread_mutex_t *m, const struct hd_thread *self)
{
    return (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK && (m->__data.__owner & 0x3fffffff) == self->tid;
}

int hd_mutex_lock(pthread_mutex_t *m, const struct hd_deadline *deadline, uint64_t pc)
{
    resolve();
    struct hd_thread *self = hd_self;
    if (!self)
        return real.lock(m); /* released in the middle of a wait */
    struct hd_point point = { .kind = HD_LOCK, .object = object_of(m), .pc = pc };
    hd_sync_enter(self, &point);
    int error;
    while ((error = real.trylock(m)) == EBUSY) {
        if (relock_is_error(m, self))
            return EDEADLK;
        struct hd_point wanted = point;
        if (!hd_block_until(self, &wanted, deadline))
            continue;
        point.kind = HD_LOCK_TIMEOUT;
        hd_sync_leave(self, &point, HD_LOCK);
        return ETIMEDOUT;
    }
    if (error && error != EOWNERDEAD)
        return error;
    hd_object_set_owner(point.object, self);
    hd_sync_leave(self, &point, 0);
    return error;
}

int hd_mutex_trylock(pthread_mutex_t *m, uint64_t pc)
{
    resolve();
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = HD_LOCK, .object = object_of(m), .pc = pc };
    hd_sync_enter(self, &point);
    int error = real.trylock(m);
    if (error == EBUSY)
        point.kind = HD_TRYLOCK_FAIL;
    else if (error && error != EOWNERDEAD)
        return error;
    else
        hd_object_set_owner(point.object, self);
    hd_sync_leave(self, &point, 0);
    if (error != EBUSY)
        hd_access_mark(self, HD_TRIED, 0, 0, pc);
    return error;
}

/* Held no longer? A recursive mutex counts. */
static void disown(pthread_mutex_t *m, uint32_t object)
{
    if ((m->__data.__kind & 3) != PTHREAD_MUTEX_RECURSIVE || m->__data.__owner == 0)
        hd_object_set_owner(object, NULL);
}

int hd_mutex_unlock(pthread_mutex_t *m, uint64_t pc)
{
    resolve();
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = HD_UNLOCK, .object = object_of(m), .pc = pc };
    hd_sync_enter(self, &point);
    int error = real.unlock(m);
    if (error)
        return error;
    disown(m, point.object);
    hd_sync_leave(self, &point, 0);
    hd_wake(point.object);
    return 0;
}

int hd_mutex_give_up(pthread_mutex_t *m)
{
    resolve();
    int error = real.unlock(m);
    if (error)
        return error;
    disown(m, object_of(m));
    return 0;
}

HD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    hd_noise();
    resolve();
    return hd_self ? hd_mutex_lock(m, NULL, HD_CALLER) : real.lock(m);
}

HD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    hd_noise();
    resolve();
    return hd_self ? hd_mutex_trylock(m, HD_CALLER) : real.trylock(m);
}

HD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *at)
{
    hd_noise();
    resolve();
    if (!hd_self || at->tv_nsec < 0 || at->tv_nsec >= 1000000000)
        return real.timedlock(m, at);
    struct hd_deadline deadline = hd_deadline_at(CLOCK_REALTIME, at);
    return hd_mutex_lock(m, &deadline, HD_CALLER);
}

HD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
    hd_noise();
    resolve();
    if (!hd_self || at->tv_nsec < 0 || at->tv_nsec >= 1000000000 ||
        (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return real.clocklock(m, clock, at);
    struct hd_deadline deadline = hd_deadline_at(clock, at);
    return hd_mutex_lock(m, &deadline, HD_CALLER);
}

HD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    hd_noise();
    resolve();
    if (hd_self)
        return hd_mutex_unlock(m, HD_CALLER);
    int error = real.unlock(m);
    if (hd_run.free_baton)
        hd_stranger_acted();
    return error;
}

HD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    resolve();
    if (!hd_self)
        return real.destroy(m);
    struct hd_point point = hd_destroy_begin((uint64_t)(uintptr_t)m, HD_CALLER);
    int error = real.destroy(m);
    hd_destroy_made(&point, (uint64_t)(uintptr_t)m, error);
    return error;
}

typedef int init_fn(pthread_mutex_t *, const pthread_mutexattr_t *);

HD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    static init_fn *real_init;
    if (!real_init)
        real_init = (init_fn *)hd_real("pthread_mutex_init");
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)m);
    return real_init(m, attr);
}
