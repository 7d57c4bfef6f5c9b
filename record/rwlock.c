/* SPDX-License-Identifier: Apache-2.0
 * Read-write locks, operated by their try forms as mutexes are. The owner is the
 * writer; readers are counted by the real lock.
 *
 * The real lock never sees a writer wait. Where a lock prefers those, its readers
 * are kept waiting here. One that only tries, or waits for a limited time, passes:
 * as if it had come before the writer. */
#include <errno.h>

#include "record/noise.h"
#include "record/runtime.h"

typedef int rwlock_fn(pthread_rwlock_t *);
typedef int timed_fn(pthread_rwlock_t *, const struct timespec *);
typedef int clock_fn(pthread_rwlock_t *, clockid_t, const struct timespec *);

static struct {
    rwlock_fn *rdlock, *wrlock, *tryrdlock, *trywrlock, *unlock, *destroy;
    timed_fn *timedrdlock, *timedwrlock;
    clock_fn *clockrdlock, *clockwrlock;
} real;

static void resolve(void)
{
    if (real.rdlock)
        return;
    real.wrlock = (rwlock_fn *)hd_real("pthread_rwlock_wrlock");
    real.tryrdlock = (rwlock_fn *)hd_real("pthread_rwlock_tryrdlock");
    real.trywrlock = (rwlock_fn *)hd_real("pthread_rwlock_trywrlock");
    real.unlock = (rwlock_fn *)hd_real("pthread_rwlock_unlock");
    real.destroy = (rwlock_fn *)hd_real("pthread_rwlock_destroy");
    real.timedrdlock = (timed_fn *)hd_real("pthread_rwlock_timedrdlock");
    real.timedwrlock = (timed_fn *)hd_real("pthread_rwlock_timedwrlock");
    real.clockrdlock = (clock_fn *)hd_real("pthread_rwlock_clockrdlock");
    real.clockwrlock = (clock_fn *)hd_real("pthread_rwlock_clockwrlock");
    real.rdlock = (rwlock_fn *)hd_real("pthread_rwlock_rdlock");
}

static uint32_t object_of(pthread_rwlock_t *l)
{
    return hd_object((uint64_t)(uintptr_t)l, HD_OBJECT_RWLOCK);
}

static bool gives_way(const pthread_rwlock_t *l, unsigned kind, const struct hd_deadline *deadline)
{
    return kind == HD_RDLOCK && !deadline && l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool a_writer_waits(uint32_t object)
{
    for (uint32_t i = 0; i < hd_run.threads; i++)
        if (hd_run.thread[i]->write_awaited == object && hd_run.thread[i]->state != HD_ENDED)
            return true;
    return false;
}

/* The real lock, or EBUSY for a reader who gives way. */
static int try_once(pthread_rwlock_t *l, const struct hd_thread *self, const struct hd_point *point, bool way)
{
    if (way && !self->released && a_writer_waits(point->object) && l->__data.__cur_writer != self->tid)
        return EBUSY;
    return (point->kind == HD_RDLOCK ? real.tryrdlock : real.trywrlock)(l);
}

/* Until it is had, the time is up, or it never will be: 0, ETIMEDOUT, another error. */
static int take(pthread_rwlock_t *l, struct hd_thread *self, const struct hd_point *point,
                const struct hd_deadline *deadline, bool way)
{
    int error;
    bool late = false;
    while (!late && (error = try_once(l, self, point, way)) == EBUSY) {
        if (l->__data.__cur_writer == self->tid)
            return EDEADLK; /* the try forms say busy where the others know better */
        self->write_awaited = point->kind == HD_WRLOCK ? point->object : 0;
        late = hd_block_until(self, point, deadline);
        self->write_awaited = 0;
    }
    return late ? ETIMEDOUT : error;
}

static int acquire(pthread_rwlock_t *l, unsigned kind, const struct hd_deadline *deadline, uint64_t pc)
{
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = kind, .object = object_of(l), .pc = pc };
    bool way = gives_way(l, kind, deadline);
    hd_sync_begin(self, &point);
    int error = take(l, self, &point, deadline, way);
    if (error == ETIMEDOUT) {
        point.kind = HD_LOCK_TIMEOUT;
        hd_sync_made(self, &point, kind);
        if (!self->released)
            hd_wake(point.object); /* readers who gave way */
    } else if (!error) {
        if (kind == HD_WRLOCK)
            hd_object_set_owner(point.object, self);
        hd_sync_made(self, &point, way);
    }
    return error;
}

static int try_acquire(pthread_rwlock_t *l, unsigned kind, uint64_t pc)
{
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = kind, .object = object_of(l), .pc = pc };
    hd_sync_begin(self, &point);
    int error = (kind == HD_RDLOCK ? real.tryrdlock : real.trywrlock)(l);
    if (error == EBUSY)
        point.kind = kind == HD_RDLOCK ? HD_TRYRDLOCK_FAIL : HD_TRYWRLOCK_FAIL;
    else if (error)
        return error;
    else if (kind == HD_WRLOCK)
        hd_object_set_owner(point.object, self);
    hd_sync_made(self, &point, 0);
    if (!error)
        hd_access_mark(self, HD_TRIED, 0, 0, pc);
    return error;
}

static bool is_time(const struct timespec *at)
{
    return at->tv_nsec >= 0 && at->tv_nsec < 1000000000;
}

#define FORMS(word, KIND)                                                                            \
    HD_EXPORT int pthread_rwlock_##word(pthread_rwlock_t *l)                                         \
    {                                                                                                \
        hd_noise();                                                                                  \
        resolve();                                                                                   \
        return hd_self ? acquire(l, KIND, NULL, HD_CALLER) : real.word(l);                           \
    }                                                                                                \
    HD_EXPORT int pthread_rwlock_try##word(pthread_rwlock_t *l)                                      \
    {                                                                                                \
        hd_noise();                                                                                  \
        resolve();                                                                                   \
        return hd_self ? try_acquire(l, KIND, HD_CALLER) : real.try##word(l);                        \
    }                                                                                                \
    HD_EXPORT int pthread_rwlock_timed##word(pthread_rwlock_t *l, const struct timespec *at)         \
    {                                                                                                \
        hd_noise();                                                                                  \
        resolve();                                                                                   \
        if (!hd_self || !is_time(at))                                                                \
            return real.timed##word(l, at);                                                          \
        struct hd_deadline deadline = hd_deadline_at(CLOCK_REALTIME, at);                            \
        return acquire(l, KIND, &deadline, HD_CALLER);                                               \
    }                                                                                                \
    HD_EXPORT int pthread_rwlock_clock##word(pthread_rwlock_t *l, clockid_t clock, const struct timespec *at) \
    {                                                                                                \
        hd_noise();                                                                                  \
        resolve();                                                                                   \
        if (!hd_self || !is_time(at) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))       \
            return real.clock##word(l, clock, at);                                                   \
        struct hd_deadline deadline = hd_deadline_at(clock, at);                                     \
        return acquire(l, KIND, &deadline, HD_CALLER);                                               \
    }

FORMS(rdlock, HD_RDLOCK)
FORMS(wrlock, HD_WRLOCK)

HD_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    hd_noise();
    resolve();
    struct hd_thread *self = hd_self;
    if (!self) {
        int error = real.unlock(l);
        if (hd_run.free_baton)
            hd_stranger_acted();
        return error;
    }
    struct hd_point point = { .kind = HD_RWUNLOCK, .object = object_of(l), .pc = HD_CALLER };
    hd_sync_begin(self, &point);
    int error = real.unlock(l);
    if (error)
        return error;
    if (hd_object_owner(point.object) == self)
        hd_object_set_owner(point.object, NULL);
    hd_sync_made(self, &point, 0);
    hd_wake(point.object);
    return 0;
}

HD_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    resolve();
    if (hd_self)
        hd_object_destroy((uint64_t)(uintptr_t)l, HD_CALLER);
    return real.destroy(l);
}

HD_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
    typedef int fn(pthread_rwlock_t *, const pthread_rwlockattr_t *);
    static fn *real_init;
    if (!real_init)
        real_init = (fn *)hd_real("pthread_rwlock_init");
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)l);
    return real_init(l, attr);
}
