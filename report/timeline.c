/* SPDX-License-Identifier: Apache-2.0 */
#include "report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "report/row_words.h"

#define NO_THREAD UINT32_MAX
#define SHORT_RUN 60 /* rows that are all shown */
#define LONGEST 120

/* A run seen through a witness: its threads by the witness's numbers, and the data that matter. */
struct view {
    struct hd_seen_run run;
    const Heddle__Witness *w;
    uint32_t *thread;  /* of the trace to the witness */
    uint64_t *position; /* of each role, UINT64_MAX where this run has no such event */
};

static bool same_event(const struct hd_event *e, const Heddle__Step *s)
{
    if (hd_kind_is_sync(s->kind))
        return hd_kind_is_sync(e->kind) && e->n == s->n;
    return hd_kind_is_access(e->kind) && e->n == s->n && e->k == s->k;
}

static struct view view_of(struct hd_seen_run run, const Heddle__Witness *w)
{
    const struct hd_trace *t = run.trace;
    struct view v = {run, w, hd_alloc((t->threads + 1) * sizeof *v.thread),
                     hd_alloc((w->finding->n_role + 1) * sizeof *v.position)};
    for (size_t i = 0; i < t->threads; i++) {
        v.thread[i] = NO_THREAD;
        for (uint32_t k = 0; k < w->n_thread; k++)
            if (strcmp(t->thread[i].path, w->thread[k]) == 0)
                v.thread[i] = k;
    }
    for (size_t r = 0; r < w->finding->n_role; r++) {
        const Heddle__Role *role = w->finding->role[r];
        v.position[r] = UINT64_MAX;
        for (size_t i = 0; i < t->events && v.position[r] == UINT64_MAX; i++)
            if (v.thread[t->event[i].thread] == role->thread && same_event(&t->event[i], role->at))
                v.position[r] = i;
    }
    return v;
}

static void view_free(struct view *v)
{
    free(v->thread);
    free(v->position);
}

static bool touches(const struct hd_event *e, const struct hd_event *role)
{
    bool memory = hd_kind_is_access(role->kind) || hd_kind_is_atomic(role->kind);
    uint64_t size = e->kind == HD_FREE || e->kind == HD_ALLOC ? e->value : e->size;
    uint64_t role_size = role->kind == HD_FREE ? role->value : role->size;
    return memory && e->address < role->address + role_size && role->address < e->address + size;
}

static bool matters(const struct view *v, const struct hd_event *e)
{
    if (hd_kind_is_sync(e->kind))
        return e->kind != HD_QUANTUM;
    if (!hd_kind_is_access(e->kind))
        return e->kind != HD_UNSEEN_WRITE && e->kind != HD_UNMODELLED;
    for (size_t r = 0; r < v->w->finding->n_role; r++)
        if (v->position[r] != UINT64_MAX && touches(e, &v->run.trace->event[v->position[r]]))
            return true;
    return false;
}

static struct hd_row *add_row(struct hd_timeline *line, const struct view *v, uint64_t position)
{
    const struct hd_event *e = &v->run.trace->event[position];
    HD_GROW(line->row, line->rows, line->room);
    struct hd_row *row = &line->row[line->rows++];
    *row = (struct hd_row){.thread = v->thread[e->thread], .position = position, .number = e->value};
    row->has_value = hd_row_has_value(v->run.trace, position);
    row->failed = e->kind == HD_ASSERT && !e->value;
    for (size_t r = 0; r < v->w->finding->n_role; r++)
        if (v->position[r] == position)
            row->role = v->w->finding->role[r]->name;
    return row;
}

static void add_all(struct hd_timeline *line, const struct view *v)
{
    for (size_t i = 0; i < v->run.trace->events; i++) {
        const struct hd_event *e = &v->run.trace->event[i];
        if (v->thread[e->thread] != NO_THREAD && matters(v, e))
            add_row(line, v, i);
    }
}

static const struct hd_event *event_of_role(const struct hd_trace *t, const Heddle__Witness *w, const char *name)
{
    for (size_t i = 0; i < w->finding->n_role; i++) {
        const Heddle__Role *role = w->finding->role[i];
        if (strcmp(role->name, name) == 0 && role->has_value && role->position < t->events)
            return &t->event[role->position];
    }
    return NULL;
}

/* What was there before the test: the first to touch it read it. */
static bool initial_value(const struct hd_trace *t, const struct hd_event *r, uint64_t *value)
{
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        bool touched = e->address < r->address + r->size && r->address < e->address + (e->size ? e->size : 1);
        if (!touched)
            continue;
        *value = e->value;
        return e->kind == HD_READ && e->address == r->address && e->size == r->size;
    }
    return false;
}

bool hd_value_seen(const struct hd_trace *t, const Heddle__Witness *w, uint64_t *value)
{
    const struct hd_event *r = event_of_role(t, w, "r"), *c = event_of_role(t, w, "c");
    if (!r || !c)
        return r && initial_value(t, r, value);
    uint64_t written = c->kind == HD_ATOMIC_RMW ? c->second : c->value;
    *value = r->value;
    for (unsigned k = 0; k < r->size && k < 8; k++) {
        uint64_t at = r->address + k - c->address;
        if (at >= c->size || at >= 8)
            continue;
        *value &= ~((uint64_t)0xff << (8 * k));
        *value |= (written >> (8 * at) & 0xff) << (8 * k);
    }
    return c->kind != HD_FREE;
}

/* Where the schedule ends: the read that now sees something else, the requests nobody can grant, what is next. */
static void add_goal(struct hd_timeline *line, const struct view *v)
{
    const Heddle__Slice *last = v->w->slice[v->w->n_slice - 1];
    for (size_t r = 0; r < v->w->finding->n_role; r++) {
        const Heddle__Role *role = v->w->finding->role[r];
        bool request = strcmp(role->name, "request") == 0;
        bool stopped = last->stop && last->thread == role->thread && last->stop->n == role->at->n &&
                       last->stop->k == role->at->k && last->stop->kind == role->at->kind;
        bool next = strcmp(role->name, "next") == 0;
        if (v->position[r] == UINT64_MAX || !(request || next || (stopped && strcmp(role->name, "r") == 0)))
            continue;
        struct hd_row *row = add_row(line, v, v->position[r]);
        uint64_t value;
        row->waits = request;
        row->has_value &= !next;
        if (request || next)
            continue;
        row->differs = true;
        row->has_value = hd_value_seen(v->run.trace, v->w, &value);
        row->number = row->has_value ? value : 0;
    }
}

/* The recorded events in the order of the slices. */
static void add_schedule(struct hd_timeline *line, const struct view *v)
{
    const struct hd_trace *t = v->run.trace;
    size_t *cursor = hd_alloc((v->w->n_thread + 1) * sizeof *cursor);
    for (size_t s = 0; s < v->w->n_slice; s++) {
        const Heddle__Slice *slice = v->w->slice[s];
        size_t *i = &cursor[slice->thread];
        for (; *i < t->events; (*i)++) {
            const struct hd_event *e = &t->event[*i];
            if (v->thread[e->thread] != slice->thread)
                continue;
            if (slice->stop && same_event(e, slice->stop))
                break;
            if (matters(v, e) && e->kind != HD_BLOCKED)
                add_row(line, v, *i);
        }
    }
    free(cursor);
    if (v->w->n_slice)
        add_goal(line, v);
}

/* The row of the same event in the other run; `from` is where to look on, one a thread. */
static struct hd_row *counterpart(struct hd_timeline *other, const struct hd_trace *other_trace, size_t *from,
                                  const struct hd_row *row, const struct hd_event *e)
{
    for (size_t i = *from; i < other->rows; i++) {
        const struct hd_event *o = &other_trace->event[other->row[i].position];
        if (other->row[i].thread != row->thread)
            continue;
        if (o->n > e->n)
            return NULL;
        bool same = o->kind == e->kind && o->n == e->n && o->k == e->k;
        if (same || o->n < e->n)
            *from = i + 1;
        if (same)
            return &other->row[i];
    }
    return NULL;
}

static void mark_differences(struct hd_timeline *recorded, const struct hd_trace *t, struct hd_timeline *failing,
                             const struct hd_trace *u, size_t threads)
{
    size_t *from = hd_alloc((threads + 1) * sizeof *from);
    for (size_t i = 0; i < failing->rows; i++) {
        struct hd_row *row = &failing->row[i];
        struct hd_row *was = counterpart(recorded, t, &from[row->thread], row, &u->event[row->position]);
        bool address = was && was->has_value && hd_is_address(was->number, t->event[was->position].size);
        if (!was || row->waits)
            continue;
        row->differs |= (row->has_value && was->has_value && row->number != was->number && !address) ||
                        row->failed != was->failed;
        was->differs |= row->differs;
    }
    free(from);
}

/* ------------------------------------------------------------- what is shown of a long run */

static bool is_point(const struct hd_row *row)
{
    return row->role || row->differs || row->failed || row->waits;
}

/* Hand-overs and values: what the points are explained by. */
static bool explains(const struct hd_timeline *line, size_t i)
{
    const struct hd_row *row = &line->row[i];
    return row->has_value || (i && row[-1].thread != row->thread) ||
           (i + 1 < line->rows && row[1].thread != row->thread);
}

/* Marks the rows within `reach` of a point, and those that explain where asked to; how many. */
static size_t choose(const struct hd_timeline *line, size_t reach, bool explain, bool *keep)
{
    size_t kept = 0;
    memset(keep, 0, line->rows);
    for (size_t i = 0; i < line->rows; i++) {
        keep[i] |= i + 1 == line->rows || (explain && explains(line, i));
        if (!is_point(&line->row[i]))
            continue;
        size_t to = i + reach < line->rows ? i + reach : line->rows - 1;
        for (size_t k = i > reach ? i - reach : 0; k <= to; k++)
            keep[k] = true;
    }
    for (size_t i = 0; i < line->rows; i++) {
        keep[i] = keep[i] && kept < LONGEST;
        kept += keep[i];
    }
    return kept;
}

static void shorten(struct hd_timeline *line)
{
    static const struct { size_t reach; bool explain; } how[] = {{6, true}, {3, true},  {1, true},
                                                                 {3, false}, {1, false}, {0, false}};
    if (line->rows <= SHORT_RUN)
        return;
    bool *keep = hd_alloc(line->rows);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        if (choose(line, how[i].reach, how[i].explain, keep) < LONGEST)
            break;
    size_t to = 0, skipped = 0;
    for (size_t i = 0; i < line->rows; i++) {
        if (!keep[i]) {
            skipped++;
            continue;
        }
        line->row[to] = line->row[i];
        line->row[to++].skipped = skipped;
        skipped = 0;
    }
    line->rows = to;
    line->skipped = skipped;
    free(keep);
}

static void put_in_words(struct hd_timeline *line, struct hd_seen_run run, struct hd_strings *strings)
{
    shorten(line);
    for (size_t i = 0; i < line->rows; i++) {
        struct hd_row *row = &line->row[i];
        row->role = row->role ? hd_keep_copy(strings, row->role) : NULL; /* the witness goes before the report */
        hd_row_words(row, run, strings);
    }
}

bool hd_follows(const struct hd_trace *t, const Heddle__Witness *w)
{
    size_t i = 0;
    for (size_t s = 0; s < w->n_slice; s++)
        for (size_t k = 0; k < w->slice[s]->n_step; k++, i++) {
            while (i < t->events && !hd_kind_is_sync(t->event[i].kind))
                i++;
            const struct hd_event *e = i < t->events ? &t->event[i] : NULL;
            if (!e || e->kind != w->slice[s]->step[k]->kind || e->n != w->slice[s]->step[k]->n ||
                strcmp(t->thread[e->thread].path, w->thread[w->slice[s]->thread]) != 0)
                return false;
        }
    return true;
}

void hd_timelines_make(struct hd_timeline *recorded, struct hd_timeline *failing, const Heddle__Witness *w,
                       struct hd_seen_run run, struct hd_seen_run rerun, struct hd_strings *strings)
{
    struct view v = view_of(run, w);
    add_all(recorded, &v);
    if (rerun.trace) {
        struct view u = view_of(rerun, w);
        add_all(failing, &u);
        view_free(&u);
    } else
        add_schedule(failing, &v);
    struct hd_seen_run other = rerun.trace ? rerun : run;
    mark_differences(recorded, run.trace, failing, other.trace, w->n_thread);
    put_in_words(recorded, run, strings);
    put_in_words(failing, other, strings);
    view_free(&v);
}

void hd_timeline_of_trace(struct hd_timeline *line, struct hd_seen_run run, struct hd_strings *strings)
{
    Heddle__Finding none = HEDDLE__FINDING__INIT;
    Heddle__Witness w = HEDDLE__WITNESS__INIT;
    w.finding = &none;
    w.n_thread = run.trace->threads;
    w.thread = hd_alloc((w.n_thread + 1) * sizeof *w.thread);
    for (size_t i = 0; i < w.n_thread; i++)
        w.thread[i] = run.trace->thread[i].path;
    struct view v = view_of(run, &w);
    add_all(line, &v);
    put_in_words(line, run, strings);
    view_free(&v);
    free(w.thread);
}
