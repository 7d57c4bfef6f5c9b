/* SPDX-License-Identifier: Apache-2.0
 * Condition variables. The queue is ours: the real condition is never waited on.
 *
 * A wait is three events: COND_WAIT gives the mutex up, COND_WAKE says by what it
 * ended, and a LOCK takes the mutex again. */
#include <errno.h>

#include "record/noise.h"
#include "record/runtime.h"

static uint64_t tickets;

static uint32_t object_of(pthread_cond_t *c)
{
    return hd_object((uint64_t)(uintptr_t)c, HD_OBJECT_COND);
}

/* Parked until signalled, timed out or cancelled. */
static void wait_in_queue(struct hd_thread *self, uint32_t object, const struct hd_deadline *deadline, uint64_t pc)
{
    struct hd_point point = { .kind = HD_COND_WAKE, .object = object, .pc = pc };
    self->signalled = false;
    self->queued = ++tickets;
    while (!self->signalled && !self->cancelled && !hd_block_until(self, &point, deadline) && !self->retrying &&
           !self->released)
        ;
    self->queued = 0;
    bool woken = self->signalled || self->retrying;
    hd_sync_begin(self, &point);
    hd_sync_made(self, &point, woken);
}

int hd_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct hd_deadline *deadline, uint64_t pc)
{
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = HD_COND_WAIT, .object = object_of(c), .pc = pc };
    uint32_t mutex = hd_object((uint64_t)(uintptr_t)m, HD_OBJECT_MUTEX);
    hd_sync_begin(self, &point);
    self->stranger_acts = hd_stranger_acts();
    int error = hd_mutex_give_up(m);
    if (error)
        return error;
    hd_sync_made(self, &point, mutex);
    hd_wake(mutex);
    wait_in_queue(self, point.object, deadline, pc);
    bool timed_out = deadline && self->timed_out && !self->signalled;
    error = hd_mutex_lock(m, NULL, pc);
    hd_testcancel(self);
    return error ? error : timed_out ? ETIMEDOUT : 0;
}

static struct hd_thread *first_waiter(uint32_t object)
{
    struct hd_thread *first = hd_run.policy->waiter ? hd_run.policy->waiter(object) : NULL;
    for (uint32_t i = 0; !first && i < hd_run.threads; i++)
        if (hd_run.thread[i]->queued && !hd_run.thread[i]->signalled && hd_run.thread[i]->waiting.object == object)
            first = hd_run.thread[i];
    for (uint32_t i = 0; first && !hd_run.policy->waiter && i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t->queued && !t->signalled && t->waiting.object == object && t->queued < first->queued)
            first = t;
    }
    return first;
}

int hd_cond_signal(pthread_cond_t *c, bool all, uint64_t pc)
{
    struct hd_thread *self = hd_self, *t;
    struct hd_point point = { .kind = all ? HD_BROADCAST : HD_SIGNAL, .object = object_of(c), .pc = pc };
    hd_sync_begin(self, &point);
    hd_sync_made(self, &point, 0);
    do {
        t = first_waiter(point.object);
        if (t) {
            t->signalled = true;
            hd_wake_thread(t);
        }
    } while (all && t);
    return 0;
}

typedef int cond_fn(pthread_cond_t *);

/* A thread that is not ours may signal ours, and the other way round: the real one is told, too. */
static int signal_or_real(pthread_cond_t *c, bool all, uint64_t pc)
{
    static cond_fn *real[2];
    hd_noise();
    if (!real[all])
        real[all] = (cond_fn *)hd_real(all ? "pthread_cond_broadcast" : "pthread_cond_signal");
    int error = real[all](c);
    if (hd_self)
        hd_cond_signal(c, all, pc);
    else if (hd_run.recording)
        hd_stranger_acted();
    return error;
}

HD_EXPORT int pthread_cond_signal(pthread_cond_t *c) { return signal_or_real(c, false, HD_CALLER); }
HD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c) { return signal_or_real(c, true, HD_CALLER); }

HD_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    hd_noise();
    typedef int fn(pthread_cond_t *, pthread_mutex_t *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_cond_wait");
    return hd_self ? hd_cond_wait(c, m, NULL, HD_CALLER) : real(c, m);
}

static bool is_time(const struct timespec *at)
{
    return at->tv_nsec >= 0 && at->tv_nsec < 1000000000;
}

/* Bit 1 of the first wide word's flags names the clock in every glibc since 2.25. */
static clockid_t clock_of(const pthread_cond_t *c)
{
    return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

HD_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *at)
{
    hd_noise();
    typedef int fn(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_cond_timedwait");
    if (!hd_self || !is_time(at))
        return real(c, m, at);
    struct hd_deadline deadline = hd_deadline_at(clock_of(c), at);
    return hd_cond_wait(c, m, &deadline, HD_CALLER);
}

HD_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
    hd_noise();
    typedef int fn(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_cond_clockwait");
    if (!hd_self || !is_time(at) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return real(c, m, clock, at);
    struct hd_deadline deadline = hd_deadline_at(clock, at);
    return hd_cond_wait(c, m, &deadline, HD_CALLER);
}

HD_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    static cond_fn *real;
    if (!real)
        real = (cond_fn *)hd_real("pthread_cond_destroy");
    if (hd_self)
        hd_object_destroy((uint64_t)(uintptr_t)c, HD_CALLER);
    return real(c);
}

HD_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    typedef int fn(pthread_cond_t *, const pthread_condattr_t *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_cond_init");
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)c);
    return real(c, attr);
}
