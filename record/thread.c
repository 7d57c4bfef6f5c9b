/* SPDX-License-Identifier: Apache-2.0
 * Threads: create, start, end, join, detach, cancel. A thread is its path in the
 * creation tree.
 *
 * A thread ends in the last round of key destructors, because destructors of
 * other keys are still the user's code. That covers return, pthread_exit and
 * cancellation alike. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/noise.h"
#include "record/runtime.h"

static pthread_key_t end_key;
static bool end_key_made;
static __thread int end_rounds;

struct hd_thread *hd_thread_new(struct hd_thread *parent)
{
    if (hd_run.threads == HD_THREADS_MAX)
        return NULL;
    struct hd_thread *t = hd_arena(sizeof *t);
    t->id = (uint16_t)hd_run.threads;
    t->parent = parent;
    t->plan = UINT32_MAX;
    t->filter_stamp = 1;
    t->stop_k = hd_run.shared->quantum;
    t->deadline = HD_NEVER;
    if (parent)
        parent->children++;
    hd_lock();
    hd_run.thread[hd_run.threads] = t;
    hd_run.threads++;
    hd_unlock();
    struct hd_record *r = hd_ring_append(t, HD_RING_THREAD);
    r->value = parent ? (uint64_t)parent->children << 32 | parent->id : 0;
    hd_ring_publish();
    return t;
}

void hd_threads_reset(void)
{
    hd_lock();
    memset(hd_run.thread, 0, hd_run.threads * sizeof hd_run.thread[0]);
    hd_run.threads = 0;
    hd_run.holder = NULL;
    hd_unlock();
}

/* The big tables of an ended thread are of no use to anybody. */
static void shed_memory(struct hd_thread *t)
{
    uintptr_t from = ((uintptr_t)t->frame + 4095) & ~(uintptr_t)4095;
    uintptr_t to = (uintptr_t)(t->seen + HD_FILTER_SLOTS) & ~(uintptr_t)4095;
    if (to > from)
        syscall(SYS_madvise, from, to - from, MADV_DONTNEED);
}

/* libc takes a thread down after its last event: it frees the thread's cached blocks and its arena, and may find
 * the heap damaged. Whoever runs next waits until that is over, or it would depend on the clock where blocks lie.
 * Bounded, for what runs after the last destructor may wait; and it never sleeps, or the watchdog would take the baton. */
#define LEAVE_TRIES 100000

static _Atomic int leaver;

void hd_leaver(const struct hd_thread *t)
{
    if (t->tid != getpid()) /* the first thread stays, as a zombie */
        atomic_store(&leaver, t->tid);
}

void hd_await_leaver(void)
{
    int tid = atomic_exchange(&leaver, 0), saved = errno;
    for (int tries = 0; tid && tries < LEAVE_TRIES && syscall(SYS_tgkill, getpid(), tid, 0) == 0; tries++)
        syscall(SYS_sched_yield);
    errno = saved;
}

static void thread_over(void *self)
{
    struct hd_thread *t = self;
    if (++end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, t);
        return;
    }
    if (hd_self != t)
        return;
    hd_outside_end(t); /* cancelled out of a wait, it may not have the baton */
    if (t->released)
        return;
    struct hd_point end = { .kind = HD_END, .pc = 0 };
    hd_sync_begin(t, &end);
    hd_sync_made(t, &end, 0);
    shed_memory(t);
    hd_thread_ended(t);
}

static void note_stack(struct hd_thread *t)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &low, &size);
        pthread_attr_destroy(&attr);
    }
    hd_objects_forget((uint64_t)(uintptr_t)low, size);
    struct hd_record *r = hd_ring_append(t, HD_RING_THREAD_STACK);
    r->addr_k = (uint64_t)(uintptr_t)low & HD_48;
    r->value = size;
    hd_ring_publish();
}

void hd_thread_here(struct hd_thread *t)
{
    if (!end_key_made)
        end_key_made = pthread_key_create(&end_key, thread_over) == 0;
    pthread_setspecific(end_key, t);
    end_rounds = 0;
    hd_known = true;
    t->handle = pthread_self();
    t->tid = (int)syscall(SYS_gettid);
}

static void *thread_main(void *p)
{
    struct hd_thread *t = p;
    t->tid = (int)syscall(SYS_gettid);
    hd_known = true;
    hd_park(t);
    if (t->released)
        return t->start(t->argument);
    hd_thread_here(t);
    note_stack(t);
    struct hd_point start = { .kind = HD_START, .pc = 0 };
    hd_sync_begin(t, &start);
    hd_sync_made(t, &start, 0);
    hd_self = t->released ? NULL : t;
    return t->start(t->argument);
}

/* ------------------------------------------------------------ create */

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static create_fn *real_create(void)
{
    static create_fn *real;
    if (!real)
        real = (create_fn *)hd_real("pthread_create");
    return real;
}

int hd_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument, uint64_t pc)
{
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = HD_CREATE, .pc = pc };
    hd_sync_begin(self, &point);
    if (self->released)
        return real_create()(handle, attr, start, argument);
    struct hd_thread *child = hd_thread_new(self);
    if (!child)
        return EAGAIN;
    child->start = start;
    child->argument = argument;
    self->inside++;
    int error = real_create()(handle, attr, thread_main, child);
    self->inside--;
    child->state = error ? HD_ENDED : HD_READY;
    if (error)
        return error;
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attr)
        pthread_attr_getdetachstate(attr, &detached);
    child->detached = detached == PTHREAD_CREATE_DETACHED;
    child->handle = *handle;
    hd_run.policy->created(child);
    hd_sync_made(self, &point, child->id);
    hd_access_range(self, handle, sizeof *handle, HD_WRITE, pc);
    return 0;
}

HD_EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
    hd_noise();
    if (!hd_self || hd_self->inside)
        return real_create()(handle, attr, start, argument);
    return hd_create(handle, attr, start, argument, HD_CALLER);
}

/* ------------------------------------------------------------ join, detach, cancel */

/* Handles are reused: the youngest thread with it, joined ones forgotten. */
struct hd_thread *hd_thread_of(pthread_t handle)
{
    for (uint32_t i = hd_run.threads; i-- > 0;)
        if (hd_run.thread[i]->handle && pthread_equal(hd_run.thread[i]->handle, handle))
            return hd_run.thread[i];
    return NULL;
}

typedef int join_fn(pthread_t, void **);

static join_fn *real_join(void)
{
    static join_fn *real;
    if (!real)
        real = (join_fn *)hd_real("pthread_join");
    return real;
}

/* A thread of an earlier test, or one that was never recorded. */
static int join_stranger(struct hd_thread *self, pthread_t handle, void **result)
{
    hd_outside_begin(self);
    int error = real_join()(handle, result);
    hd_outside_end(self);
    return error;
}

static int join_failed(struct hd_thread *self, struct hd_point *point, uint32_t target, int error)
{
    point->kind = HD_JOIN_FAIL;
    hd_sync_made(self, point, target);
    return error;
}

int hd_join(pthread_t handle, void **result, const struct hd_deadline *deadline, bool try, uint64_t pc)
{
    struct hd_thread *self = hd_self, *target = hd_thread_of(handle);
    if (!target && !deadline && !try)
        return join_stranger(self, handle, result);
    if (!target || target == self || target->detached)
        return real_join()(handle, result);
    struct hd_point point = { .kind = HD_JOIN, .pc = pc };
    hd_testcancel(self);
    hd_sync_begin(self, &point);
    self->joining = target;
    if (try && target->state != HD_ENDED)
        return join_failed(self, &point, target->id, EBUSY);
    while (target->state != HD_ENDED) {
        bool over = hd_block_until(self, &point, deadline);
        hd_testcancel(self);
        if (over && target->state != HD_ENDED)
            return join_failed(self, &point, target->id, ETIMEDOUT);
    }
    self->inside++;
    int error = real_join()(handle, result);
    self->inside--;
    target->handle = 0;
    hd_sync_made(self, &point, target->id);
    if (result && !error)
        hd_access_range(self, result, sizeof *result, HD_WRITE, pc);
    return error;
}

HD_EXPORT int pthread_join(pthread_t handle, void **result)
{
    hd_noise();
    return hd_self ? hd_join(handle, result, NULL, false, HD_CALLER) : real_join()(handle, result);
}

HD_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    static join_fn *real;
    if (!real)
        real = (join_fn *)hd_real("pthread_tryjoin_np");
    return hd_self && hd_thread_of(handle) ? hd_join(handle, result, NULL, true, HD_CALLER) : real(handle, result);
}

HD_EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *at)
{
    typedef int fn(pthread_t, void **, const struct timespec *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_timedjoin_np");
    if (!hd_self || !at || at->tv_nsec < 0 || at->tv_nsec >= 1000000000 || !hd_thread_of(handle))
        return real(handle, result, at);
    struct hd_deadline deadline = hd_deadline_at(CLOCK_REALTIME, at);
    return hd_join(handle, result, &deadline, false, HD_CALLER);
}

HD_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *at)
{
    typedef int fn(pthread_t, void **, clockid_t, const struct timespec *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_clockjoin_np");
    if (!hd_self || !at || at->tv_nsec < 0 || at->tv_nsec >= 1000000000 || !hd_thread_of(handle) ||
        (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return real(handle, result, clock, at);
    struct hd_deadline deadline = hd_deadline_at(clock, at);
    return hd_join(handle, result, &deadline, false, HD_CALLER);
}

typedef int handle_fn(pthread_t);

int hd_detach(pthread_t handle, uint64_t pc)
{
    static handle_fn *real;
    if (!real)
        real = (handle_fn *)hd_real("pthread_detach");
    struct hd_thread *self = hd_self, *target = self ? hd_thread_of(handle) : NULL;
    if (!target)
        return real(handle);
    struct hd_point point = { .kind = HD_DETACH, .pc = pc };
    hd_sync_begin(self, &point);
    int error = real(handle);
    if (error)
        return error;
    target->detached = true;
    hd_sync_made(self, &point, target->id);
    return 0;
}

HD_EXPORT int pthread_detach(pthread_t handle) { return hd_detach(handle, HD_CALLER); }

/* A parked thread does not see the request by itself: it is woken where waiting is a cancellation point. */
HD_EXPORT int pthread_cancel(pthread_t handle)
{
    static handle_fn *real;
    if (!real)
        real = (handle_fn *)hd_real("pthread_cancel");
    struct hd_thread *self = hd_self, *target = self ? hd_thread_of(handle) : NULL;
    if (!target)
        return real(handle);
    struct hd_point point = { .kind = HD_CANCEL, .pc = HD_CALLER };
    hd_sync_begin(self, &point);
    int error = real(handle);
    if (error)
        return error;
    hd_sync_made(self, &point, target->id);
    target->cancelled = true;
    unsigned kind = target->waiting.kind;
    if (target->state == HD_PARKED &&
        (kind == HD_COND_WAKE || kind == HD_JOIN || kind == HD_SLEEP || kind == HD_SEM_WAIT))
        hd_wake_thread(target);
    return 0;
}

void hd_testcancel(struct hd_thread *self)
{
    if (self->cancelled)
        pthread_testcancel();
}
