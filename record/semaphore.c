/* SPDX-License-Identifier: Apache-2.0
 * Semaphores, named and unnamed: operated by sem_trywait. The first event on a
 * semaphore carries 1 + the count it had then. */
#include <errno.h>
#include <semaphore.h>

#include "record/noise.h"
#include "record/runtime.h"

typedef int sem_fn(sem_t *);
typedef int timed_fn(sem_t *, const struct timespec *);
typedef int clock_fn(sem_t *, clockid_t, const struct timespec *);

static struct {
    sem_fn *wait, *trywait, *post, *destroy;
    timed_fn *timedwait;
    clock_fn *clockwait;
} real;

static void resolve(void)
{
    if (real.wait)
        return;
    real.trywait = (sem_fn *)hd_real("sem_trywait");
    real.post = (sem_fn *)hd_real("sem_post");
    real.destroy = (sem_fn *)hd_real("sem_destroy");
    real.timedwait = (timed_fn *)hd_real("sem_timedwait");
    real.clockwait = (clock_fn *)hd_real("sem_clockwait");
    real.wait = (sem_fn *)hd_real("sem_wait");
}

/* The count before the first event on it; the object's word remembers that it was said. */
static uint64_t first_count(sem_t *s, uint32_t object)
{
    int count = 0;
    uint64_t *said = hd_object_data(object);
    if (*said)
        return 0;
    *said = 1;
    return sem_getvalue(s, &count) == 0 ? (uint64_t)count + 1 : 0;
}

static struct hd_point point_of(sem_t *s, unsigned kind, uint64_t pc)
{
    return (struct hd_point){ .kind = kind,
                              .object = hd_object((uint64_t)(uintptr_t)s, HD_OBJECT_SEMAPHORE),
                              .pc = pc };
}

static int failed(struct hd_thread *self, struct hd_point *point, uint64_t count, int error)
{
    point->kind = HD_SEM_FAIL;
    hd_sync_made(self, point, count);
    errno = error;
    return -1;
}

static int wait_until(sem_t *s, const struct hd_deadline *deadline, uint64_t pc)
{
    struct hd_thread *self = hd_self;
    int saved = errno;
    hd_testcancel(self);
    struct hd_point point = point_of(s, HD_SEM_WAIT, pc);
    hd_sync_begin(self, &point);
    uint64_t count = first_count(s, point.object);
    while (real.trywait(s) != 0) {
        if (errno != EAGAIN)
            return -1;
        bool over = hd_block_until(self, &point, deadline);
        hd_testcancel(self);
        if (over)
            return failed(self, &point, count, ETIMEDOUT);
    }
    errno = saved;
    hd_sync_made(self, &point, count);
    return 0;
}

HD_EXPORT int sem_wait(sem_t *s)
{
    hd_noise();
    resolve();
    return hd_self ? wait_until(s, NULL, HD_CALLER) : real.wait(s);
}

HD_EXPORT int sem_trywait(sem_t *s)
{
    hd_noise();
    resolve();
    struct hd_thread *self = hd_self;
    if (!self)
        return real.trywait(s);
    int saved = errno;
    struct hd_point point = point_of(s, HD_SEM_WAIT, HD_CALLER);
    hd_sync_begin(self, &point);
    uint64_t count = first_count(s, point.object);
    if (real.trywait(s) != 0)
        return errno == EAGAIN ? failed(self, &point, count, EAGAIN) : -1;
    hd_sync_made(self, &point, count);
    hd_access_mark(self, HD_TRIED, 0, 0, HD_CALLER);
    errno = saved;
    return 0;
}

static bool is_time(const struct timespec *at)
{
    return at->tv_nsec >= 0 && at->tv_nsec < 1000000000;
}

HD_EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict at)
{
    hd_noise();
    resolve();
    if (!hd_self || !is_time(at))
        return real.timedwait(s, at);
    struct hd_deadline deadline = hd_deadline_at(CLOCK_REALTIME, at);
    return wait_until(s, &deadline, HD_CALLER);
}

HD_EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict at)
{
    hd_noise();
    resolve();
    if (!hd_self || !is_time(at) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return real.clockwait(s, clock, at);
    struct hd_deadline deadline = hd_deadline_at(clock, at);
    return wait_until(s, &deadline, HD_CALLER);
}

/* Async-signal-safe, as the real one: in a handler that interrupted the runtime only the real one is
 * posted, and a waiter finds out when it tries again. */
HD_EXPORT int sem_post(sem_t *s)
{
    hd_noise();
    resolve();
    struct hd_thread *self = hd_self;
    if (!self || self->inside) {
        int result = real.post(s);
        if (!self && hd_run.free_baton)
            hd_stranger_acted();
        return result;
    }
    struct hd_point point = point_of(s, HD_SEM_POST, HD_CALLER);
    hd_sync_begin(self, &point);
    uint64_t count = first_count(s, point.object);
    if (real.post(s) != 0)
        return -1;
    hd_sync_made(self, &point, count);
    hd_wake(point.object);
    return 0;
}

HD_EXPORT int sem_destroy(sem_t *s)
{
    resolve();
    if (hd_self)
        hd_object_destroy((uint64_t)(uintptr_t)s, HD_CALLER);
    return real.destroy(s);
}

HD_EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
    typedef int fn(sem_t *, int, unsigned);
    static fn *real_init;
    if (!real_init)
        real_init = (fn *)hd_real("sem_init");
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)s);
    return real_init(s, shared, value);
}
