/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/reanchor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "proto/witness_file.h"
#include "proto/witness_words.h"
#include "symbols/symbols.h"

#define LOOK_AHEAD 64

/* One thread, then and now. The old steps are its synchronization, and its last stop where that is one. */
struct track {
    const Heddle__Step **old;
    size_t olds, olds_room;
    size_t *now; /* positions of its synchronization in the new run */
    size_t nows, nows_room;
    size_t *match; /* by old step: index in `now`, SIZE_MAX: gone */
    size_t taken;  /* of `now`, by slices so far */
};

struct reanchor {
    const Heddle__Witness *from;
    Heddle__Witness *to;
    const struct hd_trace *trace;
    struct hd_symbols *symbols;
    struct track *track; /* by thread of the witness */
    uint32_t *anchor;    /* by site: index+1 in `to`, 0: not yet */
    struct hd_lines *drift;
    char *impossible;
};

/* ------------------------------------------------------------ what is the same */

/* The same text is the same place in the same function, or in the same file: a function may be inlined
 * now, and was not. */
static bool same_place(const Heddle__Anchor *old, const struct hd_place *now, const char *text)
{
    bool function = strcmp(old->function, now->function) == 0;
    if (!*old->text || !*text)
        return function;
    return strcmp(old->text, text) == 0 && (function || strcmp(old->file, now->file) == 0);
}

static bool is_same(struct reanchor *a, const Heddle__Step *old, size_t position)
{
    const struct hd_event *e = &a->trace->event[position];
    if (old->kind != e->kind)
        return false;
    if (!old->anchor || e->site >= a->trace->sites)
        return true;
    return same_place(a->from->anchor[old->anchor - 1], hd_symbols_place(a->symbols, e->site),
                      hd_symbols_line(a->symbols, e->site));
}

/* Step by step; where they differ, whichever side finds its next partner sooner has the other's extra steps. */
static void match_track(struct reanchor *a, struct track *t)
{
    size_t o = 0, n = 0;
    t->match = hd_alloc((t->olds + 1) * sizeof *t->match);
    for (size_t i = 0; i < t->olds; i++)
        t->match[i] = SIZE_MAX;
    while (o < t->olds && n < t->nows) {
        size_t added = 0, gone = 0;
        while (added < LOOK_AHEAD && n + added < t->nows && !is_same(a, t->old[o], t->now[n + added]))
            added++;
        while (gone < LOOK_AHEAD && o + gone < t->olds && !is_same(a, t->old[o + gone], t->now[n]))
            gone++;
        bool found = added < LOOK_AHEAD && n + added < t->nows;
        if (found && (added <= gone || gone == LOOK_AHEAD || o + gone == t->olds)) {
            n += added;
            t->match[o++] = n++;
        } else
            o++;
    }
}

static void gather_old(struct reanchor *a)
{
    for (size_t i = 0; i < a->from->n_slice; i++) {
        const Heddle__Slice *slice = a->from->slice[i];
        struct track *t = &a->track[slice->thread];
        for (size_t k = 0; k < slice->n_step; k++) {
            HD_GROW(t->old, t->olds, t->olds_room);
            t->old[t->olds++] = slice->step[k];
        }
    }
    for (size_t i = a->from->n_slice; i-- > 0;) {
        const Heddle__Step *stop = a->from->slice[i]->stop;
        struct track *t = &a->track[a->from->slice[i]->thread];
        if (!stop || hd_kind_is_access(stop->kind) || (t->olds && t->old[t->olds - 1]->n >= stop->n))
            continue;
        HD_GROW(t->old, t->olds, t->olds_room);
        t->old[t->olds++] = stop;
    }
}

static uint32_t thread_now(const struct reanchor *a, size_t thread)
{
    for (uint32_t i = 0; i < a->trace->threads; i++)
        if (strcmp(a->trace->thread[i].path, a->from->thread[thread]) == 0)
            return i;
    return HD_NO_INDEX;
}

static void gather_now(struct reanchor *a)
{
    for (size_t thread = 0; thread < a->from->n_thread; thread++) {
        struct track *t = &a->track[thread];
        uint32_t id = thread_now(a, thread);
        for (size_t i = 0; i < a->trace->events && id != HD_NO_INDEX; i++) {
            if (a->trace->event[i].thread != id || !hd_kind_is_sync(a->trace->event[i].kind))
                continue;
            HD_GROW(t->now, t->nows, t->nows_room);
            t->now[t->nows++] = i;
        }
    }
}

/* ------------------------------------------------------------ where a step is now */

/* The last old step at or before synchronization n that is still there; SIZE_MAX: none. */
static size_t matched_until(const struct track *t, uint32_t n)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < t->olds && t->old[i]->n <= n; i++)
        if (t->match[i] != SIZE_MAX)
            found = i;
    return found;
}

static size_t locate_sync(const struct track *t, const Heddle__Step *step)
{
    for (size_t i = 0; i < t->olds; i++)
        if (t->old[i]->n == step->n && t->match[i] != SIZE_MAX)
            return t->now[t->match[i]];
    return SIZE_MAX;
}

static size_t locate_access(struct reanchor *a, const struct track *t, const Heddle__Step *step)
{
    size_t since = matched_until(t, step->n), until = a->trace->events;
    if (since == SIZE_MAX)
        return SIZE_MAX;
    for (size_t i = since + 1; i < t->olds; i++)
        if (t->match[i] != SIZE_MAX) {
            until = t->now[t->match[i]];
            break;
        }
    uint32_t thread = a->trace->event[t->now[t->match[since]]].thread, nth = step->place_nth ? step->place_nth : 1;
    for (size_t i = t->now[t->match[since]] + 1; i < until; i++)
        if (a->trace->event[i].thread == thread && is_same(a, step, i) && --nth == 0)
            return i;
    return SIZE_MAX;
}

static size_t locate(struct reanchor *a, uint32_t thread, const Heddle__Step *step)
{
    const struct track *t = &a->track[thread];
    return hd_kind_is_access(step->kind) ? locate_access(a, t, step) : locate_sync(t, step);
}

/* ------------------------------------------------------------ the new witness */

static uint32_t anchor_of(struct reanchor *a, uint32_t site)
{
    const struct hd_trace *t = a->trace;
    if (site >= t->sites || a->anchor[site])
        return site < t->sites ? a->anchor[site] : 0;
    const struct hd_place *place = hd_symbols_place(a->symbols, site);
    Heddle__Anchor *anchor = hd_alloc(sizeof *anchor);
    heddle__anchor__init(anchor);
    anchor->offset = t->site[site].offset;
    anchor->module = hd_strdup(t->site[site].module < t->modules ? t->module[t->site[site].module].path : "");
    anchor->function = hd_strdup(place->function);
    anchor->file = hd_strdup(place->file);
    anchor->line = place->line;
    anchor->text = hd_strdup(hd_symbols_line(a->symbols, site));
    a->to->anchor = hd_realloc(a->to->anchor, a->to->n_anchor + 1, sizeof *a->to->anchor);
    a->to->anchor[a->to->n_anchor++] = anchor;
    return a->anchor[site] = (uint32_t)a->to->n_anchor;
}

static void move_step(struct reanchor *a, Heddle__Step *step, size_t position)
{
    const struct hd_event *e = &a->trace->event[position];
    step->kind = e->kind;
    step->n = e->n;
    step->k = hd_kind_is_access(e->kind) ? e->k : 0;
    step->size = e->size;
    step->anchor = anchor_of(a, e->site);
    step->object = e->object < a->trace->objects ? (uint32_t)a->from->n_object + e->object + 1 : 0;
}

static Heddle__Step *new_step(struct reanchor *a, size_t position)
{
    Heddle__Step *step = hd_alloc(sizeof *step);
    heddle__step__init(step);
    step->datum = hd_strdup("");
    move_step(a, step, position);
    return step;
}

static void drop_steps(Heddle__Slice *slice)
{
    for (size_t i = 0; i < slice->n_step; i++)
        heddle__step__free_unpacked(slice->step[i], NULL);
    slice->n_step = 0;
}

/* How much of the thread's synchronization belongs to slices up to and with this one. */
static size_t limit_of(const struct track *t, const Heddle__Slice *old, size_t stop)
{
    size_t limit = 0;
    if (old->stop) {
        while (limit < t->nows && t->now[limit] < stop)
            limit++;
        return limit;
    }
    if (old->step[old->n_step - 1]->kind == HD_END)
        return t->nows;
    size_t last = matched_until(t, old->step[old->n_step - 1]->n);
    return last == SIZE_MAX ? t->taken : t->match[last] + 1;
}

static char *event_place(struct reanchor *a, size_t position)
{
    uint32_t site = a->trace->event[position].site;
    const struct hd_place *p = site < a->trace->sites ? hd_symbols_place(a->symbols, site) : NULL;
    return p && *p->file ? hd_format("%s:%" PRIu32, p->file, p->line) : hd_strdup("?");
}

static void tell_drift(struct reanchor *a, size_t i, size_t stop, size_t steps_before)
{
    const Heddle__Slice *old = a->from->slice[i], *new = a->to->slice[i];
    const char *path = a->from->thread[old->thread];
    long more = (long)new->n_step - (long)steps_before;
    if (more)
        hd_lines_add(a->drift, hd_format("step %zu: %s makes %ld synchronization%s %s on the way", i + 1, path,
                                         more > 0 ? more : -more, more == 1 || more == -1 ? "" : "s",
                                         more > 0 ? "more" : "less"));
    if (!old->stop || !old->stop->anchor)
        return;
    char *was = hd_anchor_words(a->from, old->stop->anchor), *is = event_place(a, stop);
    if (strcmp(was, is) != 0)
        hd_lines_add(a->drift, hd_format("step %zu: %s stops at %s, was %s", i + 1, path, is, was));
    free(was);
    free(is);
}

/* False: the step that the slice ends at is gone. */
static bool move_slice(struct reanchor *a, size_t i)
{
    const Heddle__Slice *old = a->from->slice[i];
    Heddle__Slice *slice = a->to->slice[i];
    struct track *t = &a->track[old->thread];
    size_t stop = old->stop ? locate(a, old->thread, old->stop) : SIZE_MAX;
    if (old->stop && stop == SIZE_MAX) {
        char *words = hd_step_words(a->from, old->stop);
        a->impossible = t->nows ? hd_format("%s no longer makes its %s", a->from->thread[old->thread], words)
                                : hd_format("there is no thread %s now", a->from->thread[old->thread]);
        free(words);
        return false;
    }
    size_t limit = limit_of(t, old, stop);
    drop_steps(slice);
    slice->step = hd_realloc(slice->step, limit - (limit > t->taken ? t->taken : limit) + 1, sizeof *slice->step);
    for (; t->taken < limit; t->taken++)
        slice->step[slice->n_step++] = new_step(a, t->now[t->taken]);
    if (slice->stop)
        move_step(a, slice->stop, stop);
    tell_drift(a, i, stop, old->n_step);
    return true;
}

/* What the finding is about; a role that is gone is left out, and nothing is confirmed by it. */
static void move_roles(struct reanchor *a)
{
    Heddle__Finding *f = a->to->finding;
    size_t kept = 0;
    for (size_t i = 0; i < f->n_role; i++) {
        size_t position = locate(a, f->role[i]->thread, f->role[i]->at);
        if (position == SIZE_MAX) {
            heddle__role__free_unpacked(f->role[i], NULL);
            continue;
        }
        move_step(a, f->role[i]->at, position);
        f->role[kept++] = f->role[i];
    }
    f->n_role = kept;
}

static void add_objects(struct reanchor *a)
{
    Heddle__Witness *w = a->to;
    w->object = hd_realloc(w->object, w->n_object + a->trace->objects + 1, sizeof *w->object);
    for (uint32_t i = 0; i < a->trace->objects; i++)
        w->object[w->n_object++] = hd_strdup(hd_symbols_object(a->symbols, i));
}

static void remove_empty(Heddle__Witness *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n_slice; i++)
        if (w->slice[i]->stop || w->slice[i]->n_step)
            w->slice[kept++] = w->slice[i];
        else
            heddle__slice__free_unpacked(w->slice[i], NULL);
    w->n_slice = kept;
}

static void move_all(struct reanchor *a)
{
    bool there = true;
    add_objects(a);
    gather_old(a);
    gather_now(a);
    for (size_t i = 0; i < a->from->n_thread; i++)
        match_track(a, &a->track[i]);
    for (size_t i = 0; i < a->from->n_slice && there; i++)
        there = move_slice(a, i);
    if (!there)
        return;
    move_roles(a);
    remove_empty(a->to);
    free(a->to->header->build_id);
    a->to->header->build_id = hd_strdup(a->trace->build_id);
    free(a->to->header->program);
    a->to->header->program = hd_strdup(a->trace->program);
}

Heddle__Witness *hd_reanchor(const Heddle__Witness *w, const struct hd_trace *now, struct hd_lines *drift,
                             char **impossible)
{
    struct reanchor a = { .from = w, .to = hd_witness_copy(w), .trace = now, .drift = drift };
    a.symbols = hd_symbols_new(now);
    a.track = hd_alloc((w->n_thread + 1) * sizeof *a.track);
    a.anchor = hd_alloc((now->sites + 1) * sizeof *a.anchor);
    move_all(&a);
    for (size_t i = 0; i < w->n_thread; i++) {
        free(a.track[i].old);
        free(a.track[i].now);
        free(a.track[i].match);
    }
    free(a.track);
    free(a.anchor);
    hd_symbols_free(a.symbols);
    *impossible = a.impossible;
    if (!a.impossible)
        return a.to;
    heddle__witness__free_unpacked(a.to, NULL);
    return NULL;
}
