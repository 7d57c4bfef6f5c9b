// SPDX-License-Identifier: Apache-2.0
#include "analyze/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "proto/memory.h"

struct content { bool known; uint8_t value; uint64_t writer; };

struct given { uint32_t object; uint64_t step; bool all, used; };

struct hd_checker {
    struct hd_survey s;
    struct content *now; /* per byte */
    size_t *cursor;      /* per thread: events up to here were made or skipped */
    struct hd_holders *holders;
    int64_t *count; /* semaphores */
    struct given *given; /* signals so far */
    size_t givens, given_room;
    uint64_t *waiting; /* per thread: step at which it began to wait */
    uint32_t *waits_on; /* per thread: 1 + the condition; 0: none */
    uint64_t step;
    char message[200];
};

static const char *refuse(struct hd_checker *c, size_t i, const char *what)
{
    snprintf(c->message, sizeof c->message, "event %zu: %s", i, what);
    return c->message;
}

static bool done(const struct hd_checker *c, size_t event)
{
    return event < c->cursor[c->s.t->event[event].thread];
}

static const char *make_access(struct hd_checker *c, size_t i, bool freed)
{
    const struct hd_event *e = &c->s.t->event[i];
    uint64_t written = e->kind == HD_ATOMIC_RMW ? e->second : e->value;
    for (unsigned k = 0; k < e->size; k++) {
        struct content *b = &c->now[c->s.touch[c->s.where[i] + k]];
        if (hd_event_reads(e) && !freed) {
            if (c->s.strict ? b->writer != c->s.origin[c->s.where[i] + k]
                            : !b->known || b->value != (uint8_t)(e->value >> (8 * k)))
                return refuse(c, i, c->s.strict ? "reads from another write" : "reads another value");
        }
        if (hd_event_writes(e))
            *b = (struct content){true, (uint8_t)(written >> (8 * k)), i + 1};
    }
    return NULL;
}

static const char *make_semaphore(struct hd_checker *c, size_t i)
{
    const struct hd_event *e = &c->s.t->event[i];
    int64_t *count = &c->count[e->object];
    if (e->kind == HD_SEM_FAIL)
        return *count > 0 ? refuse(c, i, "the semaphore could be had") : NULL;
    if (e->kind == HD_SEM_WAIT && *count <= 0)
        return refuse(c, i, "the semaphore is zero");
    *count += e->kind == HD_SEM_POST ? 1 : -1;
    return NULL;
}

/* The signal that would end this wait: a broadcast since it began serves all, else the earliest that nobody
 * used. NULL: none. */
static struct given *signal_for(const struct hd_checker *c, const struct hd_event *e)
{
    struct given *best = NULL;
    for (size_t g = 0; g < c->givens; g++) {
        struct given *s = &c->given[g];
        if (s->object != e->object || s->step < c->waiting[e->thread])
            continue;
        if (s->all)
            return s;
        if (!s->used && !best)
            best = s;
    }
    return best;
}

static const char *make_wake(struct hd_checker *c, size_t i)
{
    const struct hd_event *e = &c->s.t->event[i];
    if (c->waits_on[e->thread] != e->object + 1)
        return refuse(c, i, "wakes up without having waited");
    c->waits_on[e->thread] = 0;
    if (!e->value)
        return NULL;
    struct given *s = signal_for(c, e);
    if (s)
        s->used = !s->all;
    return s ? NULL : refuse(c, i, "nobody signalled since the wait began");
}

static const char *make_sync(struct hd_checker *c, size_t i)
{
    const struct hd_trace *t = c->s.t;
    const struct hd_event *e = &t->event[i];
    uint32_t lock = hd_event_lock(t, e);
    const char *bad = NULL;
    if (lock != HD_NO_INDEX && !c->s.odd[lock])
        bad = hd_holders_apply(&c->holders[lock], e);
    if (bad)
        return refuse(c, i, bad);
    if (e->kind == HD_JOIN_FAIL && e->value < t->threads && c->s.end[e->value] > i && done(c, c->s.end[e->value] - 1))
        return refuse(c, i, "the thread has ended");
    if (e->object >= t->objects)
        return NULL;
    switch (e->kind) {
    case HD_SEM_POST:
    case HD_SEM_WAIT:
    case HD_SEM_FAIL: return make_semaphore(c, i);
    case HD_COND_WAIT:
        c->waiting[e->thread] = c->step;
        c->waits_on[e->thread] = e->object + 1;
        return NULL;
    case HD_COND_WAKE: return make_wake(c, i);
    case HD_SIGNAL:
    case HD_BROADCAST:
        HD_GROW(c->given, c->givens, c->given_room);
        c->given[c->givens++] = (struct given){e->object, c->step, e->kind == HD_BROADCAST, false};
        return NULL;
    default: return NULL;
    }
}

static const char *check_required(struct hd_checker *c, size_t i)
{
    size_t low = 0, high = c->s.requires;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (c->s.require[mid].event < i)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < c->s.requires && c->s.require[low].event == i; low++)
        if (!done(c, c->s.require[low].before)) {
            char what[80];
            snprintf(what, sizeof what, "comes before event %zu, which it needs", c->s.require[low].before);
            return refuse(c, i, what);
        }
    return NULL;
}

static const char *make(struct hd_checker *c, size_t i, bool freed)
{
    const struct hd_event *e = &c->s.t->event[i];
    const char *bad = check_required(c, i);
    c->step++;
    if (!bad)
        bad = hd_event_touches(e) ? make_access(c, i, freed) : make_sync(c, i);
    c->cursor[e->thread] = i + 1;
    return bad;
}

/* May a schedule leave this event out of its list? */
static bool private(const struct hd_checker *c, size_t i)
{
    const struct hd_event *e = &c->s.t->event[i];
    if (hd_kind_is_sync(e->kind))
        return false;
    for (unsigned k = 0; hd_event_touches(e) && k < e->size; k++) {
        const struct hd_byte *b = &c->s.byte[c->s.touch[c->s.where[i] + k]];
        if (b->shared && b->written)
            return false;
    }
    return true;
}

/* Makes the private events of the thread up to event i, then i. */
static const char *step(struct hd_checker *c, uint64_t i, bool freed)
{
    const struct hd_trace *t = c->s.t;
    if (i >= t->events)
        return "a position beyond the trace";
    uint32_t thread = t->event[i].thread;
    const char *bad = NULL;
    if (i < c->cursor[thread])
        return refuse(c, i, "out of its thread's order");
    for (size_t j = c->cursor[thread]; j < i && !bad; j++)
        if (t->event[j].thread == thread)
            bad = private(c, j) ? make(c, j, false) : refuse(c, j, "left out");
    return bad ? bad : make(c, i, freed);
}

static void begin(struct hd_checker *c)
{
    const struct hd_trace *t = c->s.t;
    memset(c->cursor, 0, (t->threads + 1) * sizeof *c->cursor);
    memset(c->waiting, 0, (t->threads + 1) * sizeof *c->waiting);
    memset(c->waits_on, 0, (t->threads + 1) * sizeof *c->waits_on);
    memcpy(c->count, c->s.semaphore, (t->objects + 1) * sizeof *c->count);
    for (size_t o = 0; o < t->objects; o++)
        c->holders[o].count = 0;
    for (size_t b = 0; b <= c->s.mask; b++)
        c->now[b] = (struct content){c->s.byte[b].initial_known, c->s.byte[b].initial, 0};
    c->givens = 0;
    c->step = 0;
}

struct hd_checker *hd_checker_new(const struct hd_trace *t, bool strict_writers)
{
    struct hd_checker *c = hd_alloc(sizeof *c);
    hd_survey_make(&c->s, t, strict_writers);
    c->now = hd_alloc((c->s.mask + 1) * sizeof *c->now);
    c->cursor = hd_alloc((t->threads + 1) * sizeof *c->cursor);
    c->waiting = hd_alloc((t->threads + 1) * sizeof *c->waiting);
    c->waits_on = hd_alloc((t->threads + 1) * sizeof *c->waits_on);
    c->holders = hd_alloc((t->objects + 1) * sizeof *c->holders);
    c->count = hd_alloc((t->objects + 1) * sizeof *c->count);
    return c;
}

void hd_checker_free(struct hd_checker *c)
{
    if (!c)
        return;
    for (size_t o = 0; o < c->s.t->objects; o++)
        free(c->holders[o].holder);
    free(c->holders);
    free(c->now);
    free(c->cursor);
    free(c->waiting);
    free(c->waits_on);
    free(c->count);
    free(c->given);
    hd_survey_free(&c->s);
    free(c);
}

const char *hd_checker_run(struct hd_checker *c, const uint64_t *order, size_t count, uint64_t freed)
{
    const char *bad = NULL;
    begin(c);
    if (freed != UINT64_MAX && (!count || order[count - 1] != freed))
        bad = "the freed read is not last";
    for (size_t i = 0; i < count && !bad; i++)
        bad = step(c, order[i], order[i] == freed && i + 1 == count);
    return bad;
}

bool hd_checker_done(const struct hd_checker *c, uint64_t i)
{
    return i < c->s.t->events && done(c, i);
}

bool hd_checker_next(const struct hd_checker *c, uint64_t i)
{
    const struct hd_trace *t = c->s.t;
    if (i >= t->events || done(c, i))
        return false;
    for (size_t j = c->cursor[t->event[i].thread]; j < i; j++)
        if (t->event[j].thread == t->event[i].thread && !private(c, j))
            return false;
    return true;
}

/* Unused signals of the condition since that step; broadcasts count as more than there are threads. */
static size_t unused_since(const struct hd_checker *c, uint32_t object, uint64_t step)
{
    size_t count = 0;
    for (size_t g = 0; g < c->givens; g++)
        if (c->given[g].object == object && c->given[g].step >= step && !c->given[g].used)
            count += c->given[g].all ? c->s.t->threads + 1 : 1;
    return count;
}

static bool among(const struct hd_checker *c, uint32_t thread, const uint64_t *position, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (c->s.t->event[position[i]].thread == thread)
            return true;
    return false;
}

/* All signals it has seen may have gone to others who wait: the k-th latest to one who has seen k. */
static bool unwoken(const struct hd_checker *c, const struct hd_event *e, const uint64_t *position, size_t count)
{
    size_t mine = unused_since(c, e->object, c->waiting[e->thread]), threads = c->s.t->threads;
    for (size_t k = 1; k <= mine && mine <= threads; k++) {
        size_t takers = 0;
        for (uint32_t u = 0; u < threads; u++) {
            bool waits = c->waits_on[u] == e->object + 1 && !among(c, u, position, count);
            size_t seen = waits ? unused_since(c, e->object, c->waiting[u]) : 0;
            takers += seen >= k && seen <= threads;
        }
        if (takers < mine - k + 1)
            return false;
    }
    return mine <= threads && e->value;
}

/* A writer among them has to wait for the lock, and this reader behind it. */
static bool behind_writer(struct hd_checker *c, const struct hd_event *e, const uint64_t *position, size_t count)
{
    for (size_t i = 0; e->kind == HD_RDLOCK && e->value && i < count; i++) {
        const struct hd_event *w = &c->s.t->event[position[i]];
        if (w->kind == HD_WRLOCK && w->object == e->object && w->thread != e->thread &&
            hd_holders_bar(&c->holders[w->object], w))
            return true;
    }
    return false;
}

static bool blocked(struct hd_checker *c, uint64_t i, const uint64_t *position, size_t count)
{
    const struct hd_event *e = &c->s.t->event[i];
    uint32_t lock = hd_event_lock(c->s.t, e);
    bool takes = e->kind == HD_LOCK || e->kind == HD_RDLOCK || e->kind == HD_WRLOCK;
    if (takes && lock != HD_NO_INDEX)
        return hd_holders_bar(&c->holders[lock], e) || behind_writer(c, e, position, count);
    if (e->kind == HD_SEM_WAIT && e->object < c->s.t->objects)
        return c->count[e->object] <= 0;
    if (e->kind == HD_COND_WAKE)
        return unwoken(c, e, position, count);
    return (e->kind == HD_JOIN || e->kind == HD_ONCE_PASS) && check_required(c, i) != NULL;
}

bool hd_checker_stuck(struct hd_checker *c, const uint64_t *position, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!blocked(c, position[i], position, count))
            return false;
    return true;
}

uint64_t hd_checker_writer(const struct hd_checker *c, uint64_t i, unsigned byte, uint64_t *recorded)
{
    *recorded = c->s.origin[c->s.where[i] + byte];
    return c->now[c->s.touch[c->s.where[i] + byte]].writer;
}
