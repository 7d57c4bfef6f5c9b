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

#include "record/runtime.h"

enum { NOTHING, BATON, LOOK_AGAIN }; /* what a thread's semaphore says */

static _Atomic uint32_t lock_word;
#define DRAIN_EVENTS 10000
#define DRAIN_QUANTUM (DRAIN_EVENTS / 64) /* what a quantum costs of them */

static struct hd_thread *drainer;
static _Atomic uint64_t stranger_acts; /* one between the end of a mutex and the queue must not be missed */
static int64_t drain_left; /* synchronization events of other threads until the drain is over */
static uint64_t events_made, events_at_retry;
/* By object: at least the threads parked on it, more where one was cancelled asynchronously or objects meet. */
#define WAIT_SLOTS 256
static _Atomic uint32_t waiters[WAIT_SLOTS];
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

static void post(struct hd_thread *t, uint32_t what)
{
    atomic_store(&t->semaphore, what);
    futex(&t->semaphore, FUTEX_WAKE, 1, NULL);
}

static void give(struct hd_thread *next)
{
    next->state = HD_RUNNING;
    next->atomics = next->turn = next->idle = 0;
    hd_run.holder = next;
    atomic_store(&next->semaphore, BATON);
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

static void deadlock(struct hd_thread *t)
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
static bool is_ready(const struct hd_thread *t)
{
    return t->state == HD_READY && t != drainer && !(t->spinning && hd_atomic_is_same(t));
}

struct hd_thread *hd_next_ready(struct hd_thread *after)
{
    for (uint32_t i = 1; i <= hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[(after->id + i) % hd_run.threads];
        if (t != after && is_ready(t))
            return t;
    }
    return NULL;
}

static struct hd_thread *next_spinner(struct hd_thread *after)
{
    for (uint32_t i = 1; i <= hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[(after->id + i) % hd_run.threads];
        if (t->state == HD_READY && t->spinning && t != drainer)
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
    if (events_at_retry == events_made)
        return NULL;
    events_at_retry = events_made;
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
static bool leave(struct hd_thread *self, const struct hd_point *point)
{
    struct hd_thread *next = hd_run.policy->next(self, point), *timer;
    if (!next)
        next = drainer;
    if (!next && any(HD_OUTSIDE)) {
        hd_run.free_baton = true;
        hd_run.holder = NULL;
        if ((timer = hd_earliest_timer()))
            post(timer, LOOK_AGAIN);
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
                post(hd_run.thread[i], LOOK_AGAIN);
        return true;
    }
    if (next)
        give(next);
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
            give(t);
        }
    }
    hd_unlock();
}

void hd_park(struct hd_thread *t)
{
    for (;;) {
        uint32_t said = atomic_exchange(&t->semaphore, NOTHING);
        if (atomic_load(&t->released))
            hd_self = NULL;
        if (said == BATON)
            hd_await_leaver();
        if (said == BATON || atomic_load(&t->released))
            return;
        struct timespec limit, *wait = park_limit(t, &limit);
        if (futex(&t->semaphore, FUTEX_WAIT, NOTHING, wait) != 0 && wait)
            look_again(t);
    }
}

static void switch_to(struct hd_thread *self, struct hd_thread *next)
{
    hd_atomic_flush(self);
    hd_lock();
    self->state = HD_READY;
    give(next);
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
    if (drainer && drainer != self && --drain_left <= 0)
        switch_to(self, drainer);
    if (__builtin_expect(hd_progress_is_due(self), 0) && !drainer)
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
    events_made++;
    self->n++;
    self->k = 0;
    self->stop_k = hd_run.shared->quantum;
    self->retrying = false;
    hd_progress_made(self, point->kind);
    hd_run.policy->made(self, point);
}

void hd_sync_made(struct hd_thread *self, const struct hd_point *point, uint64_t value)
{
    if (self->released)
        return;
    if (self->look.dropped && point->kind != HD_ATOMIC_LOAD)
        hd_atomic_flush(self);
    hd_ring_sync(self, point, value);
    hd_sync_done(self, point);
}

/* ------------------------------------------------------------ waiting */

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
    if (point->kind == HD_COND_WAKE && self->stranger_acts != atomic_load(&stranger_acts)) {
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
    bool stuck = (closes_cycle(self) && !drainer) || !leave(self, point);
    hd_unlock();
    if (stuck)
        deadlock(self);
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
        next = drainer ? NULL : hd_earliest_timer();
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
        if (drainer && drainer != self)
            drain_left -= DRAIN_QUANTUM;
        hd_sync_begin(self, &quantum);
        hd_sync_made(self, &quantum, 0);
        return;
    }
    hd_access_interval(self);
    struct hd_point point = { .kind = kind, .size = size, .pc = pc };
    ask(self, &point);
}

/* ------------------------------------------------------------ leaving and coming back */

void hd_thread_ended(struct hd_thread *self)
{
    if (self->released)
        return;
    hd_wake_joiners(self);
    hd_lock();
    hd_leaver(self);
    self->state = HD_ENDED;
    hd_self = NULL;
    bool stuck = !leave(self, NULL);
    hd_unlock();
    if (stuck)
        deadlock(self);
}

void hd_outside_begin(struct hd_thread *self)
{
    hd_access_interval(self);
    hd_atomic_flush(self);
    hd_lock();
    self->state = HD_OUTSIDE;
    leave(self, NULL);
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
            give(self);
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
    leave(t, NULL);
}

uint64_t hd_stranger_acts(void)
{
    return atomic_load(&stranger_acts);
}

/* Something a stranger did may have freed anybody. */
void hd_stranger_acted(void)
{
    if (!hd_run.recording)
        return;
    hd_lock();
    atomic_fetch_add(&stranger_acts, 1);
    for (uint32_t i = 0; i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t->state == HD_PARKED && (hd_wait_can_retry(t->waiting.kind) || t->waiting.kind == HD_COND_WAKE)) {
            t->state = HD_READY;
            t->retrying = true;
        }
    }
    struct hd_thread *next = hd_run.free_baton && hd_run.threads ? hd_next_ready(hd_run.thread[0]) : NULL;
    if (!next && hd_run.free_baton && hd_run.threads && is_ready(hd_run.thread[0]))
        next = hd_run.thread[0];
    if (next) {
        hd_run.free_baton = false;
        give(next);
    }
    hd_unlock();
}

/* Other threads run until they block or end; bounded by quanta, no timer fires, no deadlock is reported. */
void hd_drain(struct hd_thread *self)
{
    hd_access_interval(self);
    hd_atomic_flush(self);
    hd_lock();
    drainer = self;
    drain_left = DRAIN_EVENTS;
    struct hd_thread *next = hd_next_ready(self);
    if (next) {
        self->state = HD_READY;
        give(next);
    }
    hd_unlock();
    if (next)
        hd_park(self);
    drainer = NULL;
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
        post(t, BATON);
    }
    hd_run.free_baton = false;
    hd_unlock();
}

void hd_baton_reset(void)
{
    drainer = NULL;
    hd_run.strangers = false;
    hd_run.unknown = 0;
    hd_run.free_baton = false;
    hd_run.events = hd_run.idle_events = 0;
    events_made = 0;
    events_at_retry = UINT64_MAX;
}
