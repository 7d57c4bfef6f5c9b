// SPDX-License-Identifier: Apache-2.0
// Threads without the baton that do not wait for it: ended, outside in a call that blocks, strangers to the
// test, or released at its end.
#include "record/baton.h"

void hd_thread_ended(struct hd_thread *self)
{
    if (self->released)
        return;
    hd_wake_joiners(self);
    hd_lock();
    hd_leaver(self);
    self->state = HD_ENDED;
    hd_self = NULL;
    bool stuck = !hd_baton_leave(self, NULL);
    hd_unlock();
    if (stuck)
        hd_baton_deadlock(self);
}

void hd_outside_begin(struct hd_thread *self)
{
    hd_access_interval(self);
    hd_atomic_flush(self);
    hd_lock();
    self->state = HD_OUTSIDE;
    hd_baton_leave(self, NULL);
    hd_unlock();
}

/* Back from outside, or cancelled out of a wait: not on before it is this thread's turn. */
void hd_outside_end(struct hd_thread *self)
{
    hd_lock();
    bool away = self->state != HD_RUNNING;
    if (self->released) {
        hd_self = NULL;
        away = false;
    }
    if (away) {
        self->state = HD_READY;
        if (hd_run.free_baton) {
            hd_run.free_baton = false;
            hd_baton_give(self);
        }
    }
    hd_unlock();
    if (away)
        hd_park(self);
}

/* By the watchdog, with the lock held: `t` sleeps or computes elsewhere, others go on. */
void hd_take_away(struct hd_thread *t)
{
    t->state = HD_OUTSIDE;
    hd_baton_leave(t, NULL);
}

uint64_t hd_stranger_acts(void)
{
    return atomic_load(&hd_baton.stranger_acts);
}

/* Something a stranger did may have freed anybody. */
void hd_stranger_acted(void)
{
    if (!hd_run.recording)
        return;
    hd_lock();
    atomic_fetch_add(&hd_baton.stranger_acts, 1);
    for (uint32_t i = 0; i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t->state == HD_PARKED && (hd_wait_can_retry(t->waiting.kind) || t->waiting.kind == HD_COND_WAKE)) {
            t->state = HD_READY;
            t->retrying = true;
        }
    }
    struct hd_thread *next = hd_run.free_baton && hd_run.threads ? hd_next_ready(hd_run.thread[0]) : NULL;
    if (!next && hd_run.free_baton && hd_run.threads && hd_is_ready(hd_run.thread[0]))
        next = hd_run.thread[0];
    if (next) {
        hd_run.free_baton = false;
        hd_baton_give(next);
    }
    hd_unlock();
}

/* Other threads run until they block or end; bounded by quanta, no timer fires, no deadlock is reported. */
void hd_drain(struct hd_thread *self)
{
    hd_access_interval(self);
    hd_atomic_flush(self);
    hd_lock();
    hd_baton.drainer = self;
    hd_baton.drain_left = HD_DRAIN_EVENTS;
    struct hd_thread *next = hd_next_ready(self);
    if (next) {
        self->state = HD_READY;
        hd_baton_give(next);
    }
    hd_unlock();
    if (next)
        hd_park(self);
    hd_baton.drainer = NULL;
}

void hd_release_others(struct hd_thread *self)
{
    hd_lock();
    for (uint32_t i = 0; i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t == self || t->state == HD_ENDED)
            continue;
        atomic_store(&t->released, true);
        t->state = HD_ENDED;
        hd_baton_post(t, HD_BATON);
    }
    hd_run.free_baton = false;
    hd_unlock();
}
