/* SPDX-License-Identifier: Apache-2.0
 * The baton: exactly one thread of the test runs. The holder passes it by
 * posting the next thread's semaphore and waiting on its own.
 *
 * The lock guards thread states against threads that come back from outside and
 * against the watchdog; nobody sleeps while holding it. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/sync.h"

static _Atomic uint32_t lock_word;
struct hd_baton hd_baton;
static uint64_t events_at_retry;
static struct hd_thread *given; /* has the baton but was not woken yet; under the lock */

static long futex(_Atomic uint32_t *word, int op, uint32_t value, const struct timespec *limit)
{
    int saved = errno;
    long result = syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, limit, NULL, 0);
    errno = saved;
    return result;
}

void hd_lock(void)
{
    uint32_t free_word = 0;
    if (atomic_compare_exchange_strong(&lock_word, &free_word, 1))
        return;
    struct hd_thread *self = hd_self;
    if (self)
        self->in_lock = true;
    while (atomic_exchange(&lock_word, 2))
        futex(&lock_word, FUTEX_WAIT, 2, NULL);
    if (self)
        self->in_lock = false;
}

/* Who got the baton is woken only now: earlier, it would run into the lock. */
void hd_unlock(void)
{
    struct hd_thread *next = given;
    given = NULL;
    if (atomic_exchange(&lock_word, 0) == 2)
        futex(&lock_word, FUTEX_WAKE, 1, NULL);
    if (next)
        futex(&next->semaphore, FUTEX_WAKE, 1, NULL);
}

void hd_baton_post(struct hd_thread *t, uint32_t what)
{
    atomic_store(&t->semaphore, what);
    futex(&t->semaphore, FUTEX_WAKE, 1, NULL);
}

void hd_baton_give(struct hd_thread *next)
{
    next->state = HD_RUNNING;
    next->atomics = next->turn = next->idle = 0;
    hd_run.holder = next;
    atomic_store(&next->semaphore, HD_BATON);
    given = next;
}

/* ------------------------------------------------------------ endings */

static _Noreturn void forever(void)
{
    for (;;)
        pause();
}

/* Anchors for debuggers: never inlined, their arguments tell the story. */
HD_EXPORT __attribute__((noinline)) void heddle_deadlock(unsigned thread);
HD_EXPORT __attribute__((noinline)) void heddle_deadlock(unsigned thread) { __asm__ volatile("" ::"r"(thread)); }
HD_EXPORT __attribute__((noinline)) void heddle_diverged(unsigned slice);
HD_EXPORT __attribute__((noinline)) void heddle_diverged(unsigned slice) { __asm__ volatile("" ::"r"(slice)); }

void hd_baton_deadlock(struct hd_thread *t)
{
    hd_run.holder = NULL;
    atomic_store(&hd_run.shared->state, HD_STATE_DEADLOCK);
    hd_ring_bell();
    heddle_deadlock(t->id);
    forever();
}

void hd_diverged(struct hd_thread *t, const struct hd_divergence *d)
{
    hd_access_interval(t);
    hd_run.holder = NULL;
    hd_run.shared->divergence = *d;
    atomic_store(&hd_run.shared->state, HD_STATE_DIVERGED);
    hd_ring_bell();
    heddle_diverged(d->slice);
    forever();
}

/* ------------------------------------------------------------ who is next */

/* A spinner is ready only once what it looks at has changed. */
bool hd_is_ready(const struct hd_thread *t)
{
    return t->state == HD_READY && t != hd_baton.drainer && !(t->spinning && hd_atomic_is_same(t));
}

struct hd_thread *hd_next_ready(struct hd_thread *after)
{
    for (uint32_t i = 1; i <= hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[(after->id + i) % hd_run.threads];
        if (t != after && hd_is_ready(t))
            return t;
    }
    return NULL;
}

static struct hd_thread *next_spinner(struct hd_thread *after)
{
    for (uint32_t i = 1; i <= hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[(after->id + i) % hd_run.threads];
        if (t->state == HD_READY && t->spinning && t != hd_baton.drainer)
            return t;
    }
    return NULL;
}

static bool any(enum hd_thread_state state)
{
    for (uint32_t i = 0; i < hd_run.threads; i++)
        if (hd_run.thread[i]->state == state)
            return true;
    return false;
}

bool hd_any_outside(void)
{
    return any(HD_OUTSIDE);
}

struct hd_thread *hd_earliest_timer(void)
{
    struct hd_thread *first = NULL;
    for (uint32_t i = 0; i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t->state == HD_PARKED && t->deadline != HD_NEVER && (!first || t->deadline < first->deadline))
            first = t;
    }
    return first;
}

void hd_fire_timer(struct hd_thread *t)
{
    hd_clock_reach(t->deadline, t->clock_due);
    t->timed_out = true;
    t->state = HD_READY;
}

/* A signal handler or a stranger may have released what they wait for: they try again, once for
 * every time that something happened in between. */
static struct hd_thread *retry(struct hd_thread *self)
{
    if (events_at_retry == hd_baton.events_made)
        return NULL;
    events_at_retry = hd_baton.events_made;
    for (uint32_t i = 0; i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t->state == HD_PARKED && hd_wait_can_retry(t->waiting.kind)) {
            t->state = HD_READY;
            t->retrying = true;
        }
    }
    return self->state == HD_READY ? self : hd_next_ready(self);
}

/* Whoever is next, after `self` became unable to run; the lock is held. False: a deadlock. */
bool hd_baton_leave(struct hd_thread *self, const struct hd_point *point)
{
    struct hd_thread *next = hd_run.policy->next(self, point), *timer;
    if (!next)
        next = hd_baton.drainer;
    if (!next && any(HD_OUTSIDE)) {
        hd_run.free_baton = true;
        hd_run.holder = NULL;
        if ((timer = hd_earliest_timer()))
            hd_baton_post(timer, HD_LOOK_AGAIN);
        return true;
    }
    if (!next && (timer = hd_earliest_timer())) {
        hd_fire_timer(timer);
        next = timer;
    }
    if (!next)
        next = next_spinner(self);
    if (!next)
        next = retry(self);
    if (!next && any(HD_PARKED) && (hd_has_strangers() || hd_signals_may_come())) {
        hd_run.free_baton = hd_run.strangers = true;
        hd_run.holder = NULL;
        for (uint32_t i = 0; i < hd_run.threads; i++)
            if (hd_run.thread[i]->state == HD_PARKED)
                hd_baton_post(hd_run.thread[i], HD_LOOK_AGAIN);
        return true;
    }
    if (next)
        hd_baton_give(next);
    else
        hd_run.holder = NULL;
    return next || !any(HD_PARKED);
}

/* While nobody has the baton: a timed waiter waits in real time, for a thread outside could still wake
 * it; what a stranger lets go of inside libc is not announced, so who waits for it looks now and then. */
static struct timespec *park_limit(const struct hd_thread *t, struct timespec *limit)
{
    if (!hd_run.free_baton || t->state != HD_PARKED)
        return NULL;
    if (t->deadline != HD_NEVER) {
        if (!hd_clock_left(t->clock_due, limit))
            *limit = (struct timespec){ 0, 0 };
        return limit;
    }
    *limit = (struct timespec){ 0, 1000000 };
    return hd_run.strangers && hd_wait_can_retry(t->waiting.kind) ? limit : NULL;
}

static void look_again(struct hd_thread *t)
{
    struct timespec left;
    hd_lock();
    if (hd_run.free_baton && t->state == HD_PARKED) {
        bool due = t->deadline != HD_NEVER && !hd_clock_left(t->clock_due, &left);
        bool retries = t->deadline == HD_NEVER && hd_run.strangers && hd_wait_can_retry(t->waiting.kind);
        if (due)
            hd_fire_timer(t);
        t->retrying |= retries;
        if (due || retries) {
            hd_run.free_baton = false;
            hd_baton_give(t);
        }
    }
    hd_unlock();
}

void hd_park(struct hd_thread *t)
{
    for (;;) {
        uint32_t said = atomic_exchange(&t->semaphore, HD_NOTHING);
        if (atomic_load(&t->released))
            hd_self = NULL;
        if (said == HD_BATON)
            hd_await_leaver();
        if (said == HD_BATON || atomic_load(&t->released))
            return;
        struct timespec limit, *wait = park_limit(t, &limit);
        if (futex(&t->semaphore, FUTEX_WAIT, HD_NOTHING, wait) != 0 && wait)
            look_again(t);
    }
}

static void switch_to(struct hd_thread *self, struct hd_thread *next)
{
    hd_atomic_flush(self);
    hd_lock();
    self->state = HD_READY;
    hd_baton_give(next);
    hd_unlock();
    hd_park(self);
}

/* ------------------------------------------------------------ synchronization */

/* What one access point or synchronization event asks of the policy. */
static void ask(struct hd_thread *self, const struct hd_point *point)
{
    while (!self->released) {
        struct hd_thread *next = hd_run.policy->at(self, point);
        if (next == self)
            return;
        switch_to(self, next);
        if (point->kind == HD_QUANTUM || point->kind == HD_YIELD)
            return;
    }
}

void hd_say_unknown(struct hd_thread *self)
{
    if (hd_run.unknown != 1)
        return;
    hd_run.unknown = 2;
    hd_access_mark(self, HD_UNMODELLED, 0, 0, 0);
    hd_ring_text(self, HD_RING_NOTE, 0, 0, "", "a thread that was not seen created touched memory: that is not recorded");
}

void hd_sync_begin(struct hd_thread *self, const struct hd_point *point)
{
    if (self->filter_used || !hd_access_is_clean(self))
        hd_access_interval(self);
    self->fast_until = 0;
    if (self->missed_signal)
        hd_signal_missed(self);
    if (hd_baton.drainer && hd_baton.drainer != self && --hd_baton.drain_left <= 0)
        switch_to(self, hd_baton.drainer);
    if (__builtin_expect(hd_progress_is_due(self), 0) && !hd_baton.drainer)
        hd_progress_wait(self);
    ask(self, point);
}

struct hd_record *hd_sync_append(struct hd_thread *self, const struct hd_point *point)
{
    if (point->kind != HD_ATOMIC_LOAD)
        hd_atomic_flush(self);
    struct hd_record *r = hd_ring_append(self, point->kind);
    r->pc_k = point->pc & HD_48;
    r->addr_k = point->object;
    r->size = (uint8_t)point->size;
    return r;
}

void hd_sync_done(struct hd_thread *self, const struct hd_point *point)
{
    hd_sync_count(self, point);
}

void hd_sync_made(struct hd_thread *self, const struct hd_point *point, uint64_t value)
{
    hd_sync_leave(self, point, value);
}

/* Gives way to `next`, keeping `self` ready. */
void hd_give_way(struct hd_thread *self, struct hd_thread *next)
{
    if (next && next != self)
        switch_to(self, next);
}

/* A thread that only looks: others first, then timers. */
void hd_spin_pause(struct hd_thread *self)
{
    struct hd_thread *next = hd_next_ready(self);
    if (!next && !any(HD_OUTSIDE)) {
        hd_lock();
        next = hd_baton.drainer ? NULL : hd_earliest_timer();
        if (next)
            hd_fire_timer(next);
        hd_unlock();
    }
    if (!next)
        next = next_spinner(self);
    hd_give_way(self, next);
}

void hd_access_stop(struct hd_thread *self, unsigned kind, unsigned size, uint64_t pc)
{
    if (self->k >= hd_run.shared->quantum) {
        struct hd_point quantum = { .kind = HD_QUANTUM, .pc = pc };
        if (hd_baton.drainer && hd_baton.drainer != self)
            hd_baton.drain_left -= HD_DRAIN_QUANTUM;
        hd_sync_begin(self, &quantum);
        hd_sync_made(self, &quantum, 0);
        return;
    }
    hd_access_interval(self);
    struct hd_point point = { .kind = kind, .size = size, .pc = pc };
    ask(self, &point);
}

void hd_baton_reset(void)
{
    hd_baton.drainer = NULL;
    hd_run.strangers = false;
    hd_run.unknown = 0;
    hd_run.free_baton = false;
    hd_run.events = hd_run.idle_events = 0;
    hd_baton.events_made = 0;
    events_at_retry = UINT64_MAX;
}
