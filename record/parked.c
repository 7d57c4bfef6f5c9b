// SPDX-License-Identifier: Apache-2.0
// Who waits for what: parked until another thread wakes it, its time is up, or it is a deadlock.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/baton.h"

/* By object: at least the threads parked on it, more where one was cancelled asynchronously or objects meet. */
#define WAIT_SLOTS 256
static _Atomic uint32_t waiters[WAIT_SLOTS];

/* The thread that `t` waits for, if one is known. */
static struct hd_thread *waits_for(const struct hd_thread *t)
{
    if (t->state != HD_PARKED || t->deadline != HD_NEVER)
        return NULL;
    return t->waiting.kind == HD_JOIN ? t->joining : hd_object_owner(t->waiting.object);
}

static bool closes_cycle(struct hd_thread *t)
{
    struct hd_thread *next = waits_for(t);
    for (uint32_t i = 0; next && i <= hd_run.threads; i++, next = waits_for(next))
        if (next == t)
            return true;
    return false;
}

static void note_blocked(struct hd_thread *self, const struct hd_point *point)
{
    hd_atomic_flush(self);
    if (self->retrying)
        return;
    struct hd_record *r = hd_ring_append(self, HD_BLOCKED);
    r->pc_k = point->pc & HD_48;
    r->addr_k = point->object;
    r->value = point->kind;
    hd_ring_publish();
}

/* A released thread has nobody to wake it: it tries the real primitive again and again. */
static bool try_again_soon(const struct hd_deadline *deadline)
{
    struct timespec millisecond = { 0, 1000000 }, left;
    int saved = errno;
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &millisecond, NULL);
    errno = saved;
    return deadline && !hd_clock_left(deadline->clock, &left);
}

bool hd_block_until(struct hd_thread *self, const struct hd_point *point, const struct hd_deadline *deadline)
{
    if (self->released)
        return try_again_soon(deadline);
    note_blocked(self, point);
    hd_lock();
    if (point->kind == HD_COND_WAKE && self->stranger_acts != atomic_load(&hd_baton.stranger_acts)) {
        self->retrying = true;
        hd_unlock();
        return false;
    }
    atomic_fetch_add(&waiters[point->object % WAIT_SLOTS], 1);
    self->waiting = *point;
    self->state = HD_PARKED;
    self->timed_out = false;
    self->deadline = deadline ? deadline->logical : HD_NEVER;
    self->clock_due = deadline ? deadline->clock : 0;
    bool stuck = (closes_cycle(self) && !hd_baton.drainer) || !hd_baton_leave(self, point);
    hd_unlock();
    if (stuck)
        hd_baton_deadlock(self);
    hd_park(self);
    atomic_fetch_sub(&waiters[point->object % WAIT_SLOTS], 1);
    self->deadline = HD_NEVER;
    return self->timed_out;
}

void hd_block(struct hd_thread *self, const struct hd_point *point)
{
    hd_block_until(self, point, NULL);
}

void hd_wake(uint32_t object)
{
    if (!atomic_load_explicit(&waiters[object % WAIT_SLOTS], memory_order_relaxed))
        return;
    hd_lock();
    for (uint32_t i = 0; i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t->state == HD_PARKED && t->waiting.kind != HD_JOIN && t->waiting.object == object)
            t->state = HD_READY;
    }
    hd_unlock();
}

void hd_wake_thread(struct hd_thread *t)
{
    hd_lock();
    if (t->state == HD_PARKED)
        t->state = HD_READY;
    hd_unlock();
}

void hd_wake_joiners(struct hd_thread *ended)
{
    hd_lock();
    for (uint32_t i = 0; i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t->state == HD_PARKED && t->waiting.kind == HD_JOIN && t->joining == ended)
            t->state = HD_READY;
    }
    hd_unlock();
}
