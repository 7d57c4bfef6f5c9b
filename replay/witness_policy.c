/* SPDX-License-Identifier: Apache-2.0
 * Replay's policy: the slices of a witness, one by one.
 *
 * The thread of the current slice runs until just before its stop; every
 * synchronization event on the way is compared with the witness before it is
 * made. The first mismatch is a divergence and the end. After the last slice
 * the run goes on as record's policy would, beginning with the last slice's
 * thread. Objects are compared by a bijection that grows with the run, so no
 * address matters. */
#include "record/runtime.h"

#define OBJECTS_MAX 8192

static const struct hd_plan_slice *slice;
static const struct hd_plan_check *check;
static const struct hd_plan_thread *plan_thread;
static uint32_t current, done_checks;
static uint32_t to_run[OBJECTS_MAX], to_plan[OBJECTS_MAX];

/* Anchor for debuggers: called when a slice is complete. */
HD_EXPORT __attribute__((noinline)) void heddle_step(unsigned step, unsigned thread, unsigned kind);
HD_EXPORT __attribute__((noinline)) void heddle_step(unsigned step, unsigned thread, unsigned kind)
{
    __asm__ volatile("" ::"r"(step), "r"(thread), "r"(kind));
}

static bool over(void)
{
    return current >= hd_run.shared->slices;
}

static struct hd_thread *thread_of(uint32_t plan)
{
    for (uint32_t i = 0; i < hd_run.threads; i++)
        if (hd_run.thread[i]->plan == plan)
            return hd_run.thread[i];
    return NULL;
}

static _Noreturn void diverge(struct hd_thread *self, const struct hd_point *got, unsigned reason,
                              struct hd_thread *holder)
{
    const struct hd_plan_slice *s = &slice[current];
    struct hd_divergence d = {
        .slice = current,
        .thread = self->id,
        .expected_kind = s->stop_kind,
        .expected_n = s->stop_n,
        .expected_k = s->stop_k,
        .got_n = self->n,
        .got_k = self->k,
        .reason = reason,
        .holder = holder ? holder->id + 1u : 0,
    };
    if (done_checks < s->checks) {
        d.expected_kind = check[s->first_check + done_checks].kind;
        d.expected_n = check[s->first_check + done_checks].n;
        d.expected_k = 0;
    }
    if (got) {
        d.got_kind = got->kind;
        d.got_pc = got->pc;
    }
    hd_diverged(self, &d);
}

static bool same_object(uint32_t planned, uint32_t seen)
{
    if (!planned || !seen || planned >= OBJECTS_MAX || seen >= OBJECTS_MAX)
        return planned == 0 || seen == 0;
    if (!to_run[planned] && !to_plan[seen]) {
        to_run[planned] = seen;
        to_plan[seen] = planned;
    }
    return to_run[planned] == seen && to_plan[seen] == planned;
}

static bool same_site(uint64_t offset, uint64_t pc)
{
    return offset == 0 || pc == 0 || pc - hd_run.shared->main_base == offset;
}

/* Where the thread of the current slice has to ask again. */
static void arm(void)
{
    if (over())
        return;
    const struct hd_plan_slice *s = &slice[current];
    struct hd_thread *t = thread_of(s->thread);
    if (t && hd_kind_is_access(s->stop_kind) && t->n == s->stop_n + 1 && s->stop_k < hd_run.shared->quantum)
        t->stop_k = s->stop_k;
}

static void slice_done(struct hd_thread *self)
{
    const struct hd_plan_slice *s = &slice[current];
    self->stop_k = hd_run.shared->quantum;
    current++;
    done_checks = 0;
    atomic_store(&hd_run.shared->slices_done, current);
    heddle_step(current, self->id, s->stop_kind);
    arm();
}

static bool at_stop(const struct hd_thread *self, const struct hd_point *p, const struct hd_plan_slice *s)
{
    if (done_checks < s->checks)
        return false;
    if (hd_kind_is_access(s->stop_kind))
        return hd_kind_is_access(p->kind) && self->n == s->stop_n + 1 && self->k == s->stop_k;
    return !hd_kind_is_access(p->kind) && self->n == s->stop_n;
}

/* A thread that an earlier slice left before an access asks again when its next turn comes. */
static bool is_on_the_way(const struct hd_thread *self, const struct hd_point *p, const struct hd_plan_slice *s)
{
    if (!hd_kind_is_access(p->kind))
        return false;
    if (hd_kind_is_access(s->stop_kind))
        return self->n < s->stop_n + 1 || (self->n == s->stop_n + 1 && self->k < s->stop_k);
    return s->stop_kind == HD_NONE || self->n <= s->stop_n;
}

/* What a thread is about to do may end in another event: a lock may time out, an exchange may fail. */
static bool kind_fits(uint32_t planned, uint32_t seen)
{
    switch (planned) {
    case HD_TRYLOCK_FAIL: return seen == HD_LOCK;
    case HD_TRYRDLOCK_FAIL: return seen == HD_RDLOCK;
    case HD_TRYWRLOCK_FAIL: return seen == HD_WRLOCK;
    case HD_LOCK_TIMEOUT: return seen == HD_LOCK || seen == HD_RDLOCK || seen == HD_WRLOCK;
    case HD_SEM_FAIL: return seen == HD_SEM_WAIT;
    case HD_JOIN_FAIL: return seen == HD_JOIN;
    case HD_ONCE_PASS: return seen == HD_ONCE_PASS || seen == HD_ONCE_BEGIN;
    case HD_ATOMIC_LOAD: return seen == HD_ATOMIC_LOAD || seen == HD_ATOMIC_RMW;
    default: return planned == seen;
    }
}

/* The next synchronization event that the plan has for the current slice; its stop, where none is left. */
static uint32_t expected_kind(void)
{
    const struct hd_plan_slice *s = &slice[current];
    return done_checks < s->checks ? check[s->first_check + done_checks].kind : s->stop_kind;
}

/* A timed wait is over where the plan says so, and only there. */
static bool times_out(const struct hd_thread *t)
{
    if (t->state != HD_PARKED || t->deadline == HD_NEVER)
        return false;
    switch (expected_kind()) {
    case HD_LOCK_TIMEOUT:
    case HD_SEM_FAIL:
    case HD_JOIN_FAIL:
    case HD_COND_WAKE: return true;
    default: return t->waiting.kind == HD_SLEEP;
    }
}

static void verify(struct hd_thread *self, const struct hd_point *p, uint32_t kind, uint32_t object, uint64_t offset)
{
    if (!kind_fits(kind, p->kind))
        diverge(self, p, HD_DIVERGED_KIND, NULL);
    if (!same_object(object, p->object))
        diverge(self, p, HD_DIVERGED_OBJECT, NULL);
    if (!same_site(offset, p->pc))
        diverge(self, p, HD_DIVERGED_SITE, NULL);
}

static void begin(void)
{
    char *base = (char *)hd_run.shared;
    slice = (const struct hd_plan_slice *)(base + hd_run.shared->slice_offset);
    check = (const struct hd_plan_check *)(base + hd_run.shared->check_offset);
    plan_thread = (const struct hd_plan_thread *)(base + hd_run.shared->thread_offset);
    current = done_checks = 0;
    hd_run_policy.begin();
}

static void created(struct hd_thread *t)
{
    for (uint32_t i = 1; i < hd_run.shared->threads; i++)
        if (plan_thread[i].parent == t->parent->plan && plan_thread[i].child == t->parent->children)
            t->plan = i;
}

/* The current slice's thread, which is not `self`. */
static struct hd_thread *wanted(struct hd_thread *self, const struct hd_point *p)
{
    struct hd_thread *t = thread_of(slice[current].thread);
    if (!t || t->state == HD_ENDED)
        diverge(self, p, HD_DIVERGED_MISSING_THREAD, NULL);
    if (times_out(t))
        hd_fire_timer(t);
    if (t->state == HD_OUTSIDE)
        return NULL;
    if (t->state != HD_READY)
        diverge(t, &t->waiting, HD_DIVERGED_BLOCKED, hd_object_owner(t->waiting.object));
    return t;
}

static struct hd_thread *at(struct hd_thread *self, const struct hd_point *p)
{
    while (!over()) {
        const struct hd_plan_slice *s = &slice[current];
        if (self->plan != s->thread) {
            struct hd_thread *t = wanted(self, p);
            return t ? t : self;
        }
        if (at_stop(self, p, s)) {
            verify(self, p, s->stop_kind, s->stop_object, s->stop_offset);
            slice_done(self);
            continue;
        }
        if (is_on_the_way(self, p, s))
            return self;
        if (done_checks >= s->checks && p->kind == HD_ATOMIC_LOAD && self->n < s->stop_n)
            return self;
        if (done_checks >= s->checks)
            diverge(self, p, HD_DIVERGED_PAST, NULL);
        const struct hd_plan_check *c = &check[s->first_check + done_checks];
        if (p->kind == HD_ATOMIC_LOAD && self->n < c->n)
            return self; /* dropped from the trace: it repeats the one before */
        if (hd_kind_is_access(p->kind) || self->n != c->n)
            diverge(self, p, HD_DIVERGED_KIND, NULL);
        verify(self, p, c->kind, c->object, c->offset);
        return self;
    }
    return hd_run_policy.at(self, p);
}

/* Some events are reached only by waiting: who waits right at its stop has reached it. */
static bool waits_at_stop(const struct hd_thread *self, const struct hd_point *p)
{
    const struct hd_plan_slice *s = &slice[current];
    return p && self->plan == s->thread && at_stop(self, p, s) && kind_fits(s->stop_kind, p->kind);
}

static struct hd_thread *next(struct hd_thread *self, const struct hd_point *p)
{
    while (!over() && waits_at_stop(self, p)) {
        verify(self, p, slice[current].stop_kind, slice[current].stop_object, slice[current].stop_offset);
        slice_done(self);
    }
    if (over())
        return hd_run_policy.next(self, p);
    if (self->plan == slice[current].thread) {
        if (times_out(self)) {
            hd_fire_timer(self);
            return self;
        }
        if (self->state == HD_OUTSIDE)
            return NULL;
        if (p)
            diverge(self, p, HD_DIVERGED_BLOCKED, hd_object_owner(p->object));
        diverge(self, p, HD_DIVERGED_PAST, NULL);
    }
    return wanted(self, p);
}

static void made(struct hd_thread *self, const struct hd_point *p)
{
    if (over())
        return;
    const struct hd_plan_slice *s = &slice[current];
    const struct hd_plan_check *c = &check[s->first_check + done_checks];
    if (self->plan == s->thread && done_checks < s->checks && self->n == c->n + 1) {
        if (p->kind != c->kind)
            diverge(self, p, HD_DIVERGED_KIND, NULL);
        if (++done_checks == s->checks && s->stop_kind == HD_NONE)
            slice_done(self);
    }
    arm();
}

/* The waiter that the plan wakes next on this object. */
static struct hd_thread *waiter(uint32_t object)
{
    for (uint32_t i = current; i < hd_run.shared->slices; i++) {
        struct hd_thread *t = thread_of(slice[i].thread);
        if (!t || !t->queued || t->signalled || t->waiting.object != object)
            continue;
        for (uint32_t k = i == current ? done_checks : 0; k < slice[i].checks; k++)
            if (check[slice[i].first_check + k].kind == HD_COND_WAKE)
                return t;
        if (slice[i].stop_kind == HD_COND_WAKE)
            return t;
    }
    return NULL;
}

static bool enforcing(void)
{
    return !over();
}

const struct hd_policy hd_witness_policy = { "witness", begin, created, at, next, made, waiter, enforcing, NULL };
