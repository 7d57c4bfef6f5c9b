// SPDX-License-Identifier: Apache-2.0
#include "analyze/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "analyze/check.h"
#include "proto/memory.h"

struct verify {
    const Heddle__Witness *w;
    const struct hd_trace *t;
    struct hd_checker *checker;
    uint32_t *thread; /* of the witness to the trace */
    size_t *cursor;   /* per thread of the trace */
    uint64_t *order;
    size_t count, room;
    char *why;
    size_t size;
};

static bool refuse(struct verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct verify *v, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(v->why, v->size, fmt, args);
    va_end(args);
    return false;
}

static bool is_step(const struct hd_event *e, const Heddle__Step *s)
{
    return e->kind == s->kind && e->n == s->n && (hd_kind_is_sync(s->kind) || e->k == s->k);
}

/* ---------------------------------------------------------------- the schedule */

static bool same_recording(struct verify *v)
{
    const Heddle__Header *h = v->w->header;
    if (strcmp(h->suite, v->t->suite) != 0 || strcmp(h->test, v->t->test) != 0)
        return refuse(v, "it is of the test '%s', the trace of '%s'", h->test, v->t->test);
    if (strcmp(h->build_id, v->t->build_id) != 0)
        return refuse(v, "it is of another build of the program than the trace");
    for (size_t i = 0; i < v->w->n_thread; i++) {
        v->thread[i] = HD_NO_INDEX;
        for (uint32_t k = 0; k < v->t->threads; k++)
            if (strcmp(v->w->thread[i], v->t->thread[k].path) == 0)
                v->thread[i] = k;
        if (v->thread[i] == HD_NO_INDEX)
            return refuse(v, "the trace has no thread %s", v->w->thread[i]);
    }
    return true;
}

/* The thread's events from where it stands to just before the stop; its synchronization is the slice's steps. */
static bool add_slice(struct verify *v, size_t number)
{
    const Heddle__Slice *slice = v->w->slice[number];
    uint32_t thread = v->thread[slice->thread];
    size_t *at = &v->cursor[thread], steps = 0;
    for (; *at < v->t->events; ++*at) {
        const struct hd_event *e = &v->t->event[*at];
        if (e->thread != thread)
            continue;
        if (slice->stop ? is_step(e, slice->stop) : steps == slice->n_step && hd_kind_is_sync(e->kind))
            break;
        if (hd_kind_is_sync(e->kind)) {
            if (steps == slice->n_step || !is_step(e, slice->step[steps]))
                return refuse(v, "slice %zu: the trace has a %s of %s (event %zu) where the witness has another step",
                              number + 1, hd_kind_word(e->kind), v->t->thread[thread].path, *at);
            steps++;
        }
        HD_GROW(v->order, v->count, v->room);
        v->order[v->count++] = *at;
    }
    if (steps < slice->n_step)
        return refuse(v, "slice %zu: the trace has no %s after the others", number + 1,
                      hd_kind_word(slice->step[steps]->kind));
    if (slice->stop && *at == v->t->events)
        return refuse(v, "slice %zu: %s does not come to its stop in the trace", number + 1,
                      v->t->thread[thread].path);
    return true;
}

static bool make_schedule(struct verify *v)
{
    for (size_t i = 0; i < v->w->n_slice; i++)
        if (!add_slice(v, i))
            return false;
    const char *wrong = hd_checker_run(v->checker, v->order, v->count, UINT64_MAX);
    return wrong ? refuse(v, "%s", wrong) : true;
}

/* ------------------------------------------------------------------- the claim */

/* Its position; UINT64_MAX and a line where the trace has no such event. */
static uint64_t role_at(struct verify *v, const Heddle__Role *role)
{
    if (role->position < v->t->events && is_step(&v->t->event[role->position], role->at) &&
        v->t->event[role->position].thread == v->thread[role->thread])
        return role->position;
    refuse(v, "event %llu of the trace is not the finding's %s", (unsigned long long)role->position, role->name);
    return UINT64_MAX;
}

static bool claim_read(struct verify *v, uint64_t r, uint64_t challenger)
{
    const struct hd_event *e = &v->t->event[r];
    for (unsigned k = 0; hd_event_reads(e) && k < e->size; k++) {
        uint64_t recorded, writer = hd_checker_writer(v->checker, r, k, &recorded);
        if (writer != recorded && writer == challenger)
            return true;
    }
    return refuse(v, "the read (event %llu) would not see what the finding says", (unsigned long long)r);
}

static bool overlap(const struct hd_event *a, const struct hd_event *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* An access to a block, its free, or the use of what lives in it. */
static bool is_of_block(const struct hd_trace *t, const struct hd_event *a, const struct hd_event *freed)
{
    bool used = a->object < t->objects;
    uint64_t low = used ? t->object[a->object].address : a->address;
    uint64_t size = used ? 1 : a->kind == HD_FREE ? a->value : a->size;
    return (!used || hd_kind_uses_object(a->kind)) && low < freed->address + freed->value && freed->address < low + size;
}

static bool claim_race(struct verify *v, uint64_t a, uint64_t b)
{
    const struct hd_event *x = &v->t->event[a], *y = &v->t->event[b];
    if (x->thread == y->thread || !hd_event_touches(x) || !hd_event_touches(y) || !overlap(x, y) ||
        (!hd_event_writes(x) && !hd_event_writes(y)) || (hd_kind_is_atomic(x->kind) && hd_kind_is_atomic(y->kind)))
        return refuse(v, "events %llu and %llu do not conflict", (unsigned long long)a, (unsigned long long)b);
    return true;
}

/* Nobody is left who would end the wait. */
static bool claim_wakeup(struct verify *v, uint64_t wait)
{
    const struct hd_event *w = &v->t->event[wait];
    for (size_t i = 0; i < v->t->events; i++) {
        const struct hd_event *e = &v->t->event[i];
        if ((e->kind == HD_SIGNAL || e->kind == HD_BROADCAST) && e->object == w->object && e->thread != w->thread &&
            !hd_checker_done(v->checker, i))
            return refuse(v, "a signal (event %zu) is still to come", i);
    }
    return true;
}

/* Every event of the finding is where it says: done before, or next. */
static bool claim_stand(struct verify *v, const Heddle__Finding *f, const uint64_t *at)
{
    for (size_t i = 0; i < f->n_role; i++) {
        bool before = strcmp(f->role[i]->name, "before") == 0;
        if (before != hd_checker_done(v->checker, at[i]) || (!before && !hd_checker_next(v->checker, at[i])))
            return refuse(v, "event %llu is not %s", (unsigned long long)at[i], before ? "done" : "next");
    }
    return true;
}

static bool claim_next(struct verify *v, const Heddle__Finding *f, const uint64_t *at)
{
    size_t nexts = 0; /* they come first */
    if (!claim_stand(v, f, at))
        return false;
    while (nexts < f->n_role && strcmp(f->role[nexts]->name, "before") != 0)
        nexts++;
    bool waits = strcmp(f->kind, "wakeup") == 0, woken = waits && v->t->event[at[0]].kind == HD_COND_WAKE;
    if ((strcmp(f->kind, "deadlock") == 0 || woken) && !hd_checker_stuck(v->checker, at, nexts))
        return refuse(v, "event %llu, or another, would not have to wait", (unsigned long long)at[0]);
    if (strcmp(f->kind, "memory") == 0 && f->n_role > 1 &&
        !is_of_block(v->t, &v->t->event[at[0]], &v->t->event[at[1]]))
        return refuse(v, "event %llu is not of that block", (unsigned long long)at[0]);
    if (waits)
        return claim_wakeup(v, at[0]);
    return strcmp(f->kind, "race") != 0 || (f->n_role == 2 && claim_race(v, at[0], at[1]));
}

/* The events of the finding lie ahead of where the schedule ends. */
static bool lies_ahead(const struct verify *v, const uint64_t *at)
{
    for (size_t i = 0; i < v->w->finding->n_role; i++)
        if (!hd_checker_done(v->checker, at[i]) && !hd_checker_next(v->checker, at[i]))
            return true;
    return false;
}

static enum hd_verified claim(struct verify *v)
{
    const Heddle__Finding *f = v->w->finding;
    uint64_t *at = hd_alloc((f->n_role + 1) * sizeof *at), challenger = 0;
    bool triplet = false, holds = f->n_role > 0 || refuse(v, "the finding has no events");
    for (size_t i = 0; i < f->n_role && holds; i++) {
        at[i] = role_at(v, f->role[i]);
        holds = at[i] != UINT64_MAX;
        triplet |= i == 0 && strcmp(f->role[i]->name, "r") == 0;
        if (strcmp(f->role[i]->name, "c") == 0)
            challenger = at[i] + 1;
    }
    bool ahead = holds && lies_ahead(v, at);
    if (holds && triplet)
        holds = (hd_checker_next(v->checker, at[0]) || refuse(v, "the read is not next")) &&
                claim_read(v, at[0], challenger);
    else if (holds)
        holds = claim_next(v, f, at);
    free(at);
    return holds ? HD_HOLDS : ahead && v->w->expected ? HD_SHORTENED : HD_REFUSED;
}

enum hd_verified hd_verify(const Heddle__Witness *w, const struct hd_trace *t, char *why, size_t size)
{
    struct verify v = {.w = w, .t = t, .why = why, .size = size};
    enum hd_verified result = HD_REFUSED;
    v.thread = hd_alloc((w->n_thread + 1) * sizeof *v.thread);
    v.cursor = hd_alloc((t->threads + 1) * sizeof *v.cursor);
    v.checker = hd_checker_new(t, false);
    if (same_recording(&v) && make_schedule(&v))
        result = claim(&v);
    hd_checker_free(v.checker);
    free(v.thread);
    free(v.cursor);
    free(v.order);
    return result;
}
