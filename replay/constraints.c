/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/constraints.h"

#include <string.h>

/* The thread's next synchronization after `at`, or that it waits to make one. */
static const struct hd_event *next_of(const struct hd_trace *t, size_t at)
{
    for (size_t i = at + 1; i < t->events; i++)
        if (t->event[i].thread == t->event[at].thread &&
            (hd_kind_is_sync(t->event[i].kind) || t->event[i].kind == HD_BLOCKED))
            return &t->event[i];
    return NULL;
}

static bool has_ended(const struct hd_trace *t, uint64_t thread, size_t at)
{
    for (size_t i = 0; i <= at; i++)
        if (t->event[i].thread == thread && t->event[i].kind == HD_END)
            return true;
    return false;
}

static bool is_held(const struct hd_trace *t, uint32_t object, uint32_t by_other_than, size_t at)
{
    uint32_t holder = HD_NO_INDEX;
    for (size_t i = 0; i <= at; i++) {
        const struct hd_event *e = &t->event[i];
        bool waits = e->kind == HD_COND_WAIT && e->value == (uint64_t)object + 1;
        if (!waits && e->object != object)
            continue;
        if (e->kind == HD_LOCK || e->kind == HD_WRLOCK)
            holder = e->thread;
        else if (waits || e->kind == HD_UNLOCK || e->kind == HD_RWUNLOCK)
            holder = HD_NO_INDEX;
    }
    return holder != HD_NO_INDEX && holder != by_other_than;
}

/* A slice whose last event is at `at`: would its thread have had to wait there anyway? */
static bool would_wait(const struct hd_trace *t, size_t at)
{
    const struct hd_event *last = &t->event[at], *next = next_of(t, at);
    if (last->kind == HD_BLOCKED || last->kind == HD_END)
        return true;
    if (next && next->kind == HD_BLOCKED && next->value == HD_JOIN)
        return true; /* who has not ended later had not ended here */
    if (!next || next->kind == HD_BLOCKED)
        return next && next->object < t->objects && is_held(t, next->object, next->thread, at);
    if (next->kind == HD_JOIN)
        return !has_ended(t, next->value, at);
    return next->kind == HD_LOCK && is_held(t, next->object, next->thread, at);
}

/* In the trace a slice is a run of its thread's events. */
struct hd_constraints hd_constraints_of(const Heddle__Witness *w, const struct hd_trace *t)
{
    struct hd_constraints c = { 0 };
    size_t at = 0;
    for (size_t i = 0; i + 1 < w->n_slice; i++) {
        const char *path = w->thread[w->slice[i]->thread];
        if (w->slice[i]->thread == w->slice[i + 1]->thread)
            continue;
        c.switches++;
        while (at < t->events && strcmp(t->thread[t->event[at].thread].path, path) != 0)
            at++;
        while (at + 1 < t->events && t->event[at + 1].thread == t->event[at].thread)
            at++;
        c.forced += at < t->events && !would_wait(t, at);
        at++;
    }
    return c;
}
