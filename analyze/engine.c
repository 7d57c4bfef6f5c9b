// SPDX-License-Identifier: Apache-2.0
#include "analyze/engine.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

bool hd_engine_raise(const struct hd_engine *e, uint32_t *ideal, uint32_t item)
{
    const struct hd_item *it = &e->x->item[item];
    if (ideal[it->thread] > it->index)
        return false;
    const uint32_t *row = hd_clock_row(e->x, e->must, item);
    for (uint32_t u = 0; u < e->threads; u++)
        if (row[u] > ideal[u])
            ideal[u] = row[u];
    if (ideal[it->thread] <= it->index)
        ideal[it->thread] = it->index + 1;
    return true;
}

uint32_t hd_engine_last_write(const struct hd_engine *e, const uint32_t *ideal, uint32_t cell)
{
    const struct hd_tracks *s = &e->x->writes;
    uint32_t last = HD_NO_INDEX;
    for (uint32_t n = s->first[cell]; n < s->first[cell + 1]; n++) {
        const struct hd_track *t = &s->track[n];
        uint32_t count = hd_track_count(s, t, ideal[t->thread]);
        uint32_t w = count ? hd_item_at(e->x, t->thread, s->at[t->from + count - 1]) : HD_NO_INDEX;
        if (w != HD_NO_INDEX && (last == HD_NO_INDEX || w > last))
            last = w;
    }
    return last;
}

/* The last acquire below the bound that excludes one in that mode. */
uint32_t hd_engine_last_take(const struct hd_engine *e, const struct hd_track *t, uint32_t bound, bool shared)
{
    for (uint32_t n = hd_track_count(&e->x->takes, t, bound); n > 0; n--) {
        uint32_t take = hd_item_at(e->x, t->thread, e->x->takes.at[t->from + n - 1]);
        if (hd_excludes(e->x->item[take].shared, shared))
            return take;
    }
    return HD_NO_INDEX;
}

/* Sections of the locks that `thread` holds at its frontier have ended elsewhere. False: one cannot. */
static bool close_for(const struct hd_engine *e, uint32_t *ideal, uint32_t thread, bool *changed)
{
    const struct hd_index *x = e->x;
    for (uint32_t h = hd_index_held(x, thread, e->cap[thread]); h != HD_NO_INDEX; h = x->held[h].below) {
        uint32_t lock = x->held[h].lock;
        for (uint32_t n = x->takes.first[lock]; n < x->takes.first[lock + 1]; n++) {
            const struct hd_track *t = &x->takes.track[n];
            if (t->thread == thread)
                continue;
            uint32_t take = hd_engine_last_take(e, t, ideal[t->thread], x->held[h].shared);
            if (take == HD_NO_INDEX)
                continue;
            if (x->item[take].partner == HD_NO_INDEX)
                return false;
            *changed |= hd_engine_raise(e, ideal, x->item[take].partner);
        }
    }
    return true;
}

static bool fixpoint(const struct hd_engine *e, uint32_t *ideal)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u < e->threads; u++)
            if (ideal[u] > e->cap[u])
                return false;
        for (uint32_t f = 0; f < e->q->frontiers; f++)
            if (!close_for(e, ideal, e->x->item[e->q->frontier[f]].thread, &changed))
                return false;
    }
    return true;
}

static bool set_frontier(struct hd_engine *e)
{
    memset(e->cap, 0xff, e->threads * sizeof *e->cap);
    memset(e->stands, 0, e->threads * sizeof *e->stands);
    for (uint32_t f = 0; f < e->q->frontiers; f++) {
        const struct hd_item *it = &e->x->item[e->q->frontier[f]];
        if (e->stands[it->thread])
            return false;
        e->stands[it->thread] = true;
        e->cap[it->thread] = it->index;
    }
    return true;
}

static void raise_frontier(const struct hd_engine *e, uint32_t *ideal)
{
    memset(ideal, 0, e->threads * sizeof *ideal);
    for (uint32_t f = 0; f < e->q->frontiers; f++) {
        const struct hd_item *it = &e->x->item[e->q->frontier[f]];
        if (it->index)
            hd_engine_raise(e, ideal, hd_item_at(e->x, it->thread, it->index - 1));
        for (uint32_t n = it->need; n < hd_frontier_needs(e->x, it); n++)
            hd_engine_raise(e, ideal, e->x->need[n]);
    }
}

/* The ideal of a lone frontier event is kept from question to question. */
static bool begin(struct hd_engine *e)
{
    if (e->q->frontiers == 1 && e->base_of == e->q->frontier[0]) {
        memset(e->cap, 0xff, e->threads * sizeof *e->cap);
        e->cap[e->x->item[e->base_of].thread] = e->x->item[e->base_of].index;
        memcpy(e->ideal, e->base, e->threads * sizeof *e->ideal);
        return !e->base_fails;
    }
    e->base_of = HD_NO_INDEX;
    if (!set_frontier(e))
        return false;
    raise_frontier(e, e->ideal);
    bool ok = fixpoint(e, e->ideal);
    if (e->q->frontiers == 1) {
        e->base_of = e->q->frontier[0];
        e->base_fails = !ok;
        memcpy(e->base, e->ideal, e->threads * sizeof *e->base);
    }
    return ok;
}

/* A write of the cell in the ideal that has the challenger before it? */
static bool challenger_buried(const struct hd_engine *e)
{
    const struct hd_index *x = e->x;
    uint32_t c = e->q->challenger;
    for (uint32_t n = x->writes.first[e->cell]; n < x->writes.first[e->cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t count = hd_track_count(&x->writes, t, e->ideal[t->thread]);
        if (!count)
            continue;
        uint32_t z = hd_item_at(x, t->thread, x->writes.at[t->from + count - 1]);
        if (c == HD_NO_INDEX || (z != c && hd_clock(x, e->must, z, x->item[c].thread) > x->item[c].index))
            return true;
    }
    return false;
}

static bool stage_zero(struct hd_engine *e)
{
    const struct hd_query *q = e->q;
    bool more = false;
    if (!begin(e))
        return false;
    for (uint32_t f = 0; q->ring && f < q->frontiers; f++)
        if (!hd_feas_blocks(e->x, q->frontier[(f + 1) % q->frontiers], q->frontier[f]))
            return false;
    if (q->challenger != HD_NO_INDEX)
        more |= hd_engine_raise(e, e->ideal, q->challenger);
    if (q->include != HD_NO_INDEX)
        more |= hd_engine_raise(e, e->ideal, q->include);
    for (uint32_t i = 0; i < q->alsos; i++)
        more |= hd_engine_raise(e, e->ideal, q->also[i]);
    if (q->exclude != HD_NO_INDEX) {
        const struct hd_item *out = &e->x->item[q->exclude];
        e->cap[out->thread] = out->index < e->cap[out->thread] ? out->index : e->cap[out->thread];
        more = true;
    }
    if (more && !fixpoint(e, e->ideal))
        return false;
    return q->freed == HD_NO_INDEX || !challenger_buried(e);
}

enum hd_engine_answer hd_engine_ask(struct hd_engine *e, const struct hd_query *q, uint32_t cell)
{
    e->q = q;
    e->cell = cell;
    e->stage = "stage0";
    if (!stage_zero(e))
        return HD_ENGINE_NO;
    e->stage = "stage1";
    if (!e->by_value && hd_engine_tails(e))
        return HD_ENGINE_YES;
    e->stage = "stage2";
    return hd_lineup_go_on(e) ? HD_ENGINE_YES : hd_engine_saturate(e);
}

void hd_engine_forget(struct hd_engine *e)
{
    e->standing.read = HD_NO_INDEX;
    e->lesson.count = 0;
}

/* Both bounds come from the frontier's own ideal: below *low a write of it buries the challenger, from
 * *high on the challenger needs the read. */
void hd_engine_interval(struct hd_engine *e, uint32_t r, uint32_t cell, uint32_t thread, uint32_t *low,
                        uint32_t *high)
{
    const struct hd_index *x = e->x;
    struct hd_query q = {.frontier = &r, .frontiers = 1, .freed = r, .challenger = HD_NO_INDEX,
                         .include = HD_NO_INDEX, .exclude = HD_NO_INDEX};
    const struct hd_item *it = &x->item[r];
    e->q = &q; /* cppcheck-suppress autoVariables; only begin() looks at it, and the next query sets its own */
    *low = *high = 0;
    if (!begin(e))
        return;
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t count = hd_track_count(&x->writes, t, e->base[t->thread]);
        if (!count)
            continue;
        uint32_t z = hd_item_at(x, t->thread, x->writes.at[t->from + count - 1]);
        uint32_t bound = t->thread == thread ? x->item[z].index : hd_clock(x, e->must, z, thread);
        *low = bound > *low ? bound : *low;
    }
    *high = hd_clock_first(x, e->must, thread, it->thread, it->index);
}

void hd_engine_order(const struct hd_engine *e, struct hd_answer *answer)
{
    const struct hd_line *said = e->said;
    size_t room = 0;
    answer->count = 0;
    answer->order = NULL;
    for (uint32_t i = 0; i < e->x->items && i < said->cut; i++) {
        if (e->x->item[i].index >= said->part[e->x->item[i].thread])
            continue;
        HD_GROW(answer->order, answer->count, room);
        answer->order[answer->count++] = e->x->item[i].position;
    }
    for (size_t i = 0; i <= said->items; i++) {
        uint32_t item = i < said->items ? said->item[i] : e->q->freed;
        if (item == HD_NO_INDEX)
            break;
        HD_GROW(answer->order, answer->count, room);
        answer->order[answer->count++] = e->x->item[item].position;
    }
}

static uint32_t *words(size_t count)
{
    return hd_alloc((count + 1) * sizeof(uint32_t));
}

struct hd_engine *hd_engine_new(const struct hd_index *x, bool by_value)
{
    struct hd_engine *e = hd_alloc(sizeof *e);
    e->x = x;
    e->by_value = by_value;
    e->must = by_value ? &x->must_value : &x->must;
    e->threads = x->threads;
    e->base_of = e->standing.read = HD_NO_INDEX;
    e->ideal = words(x->threads);
    e->cap = words(x->threads);
    e->base = words(x->threads);
    e->tails.part = words(x->threads);
    e->line.part = words(x->threads);
    e->source = words(x->threads);
    e->next = words(x->threads);
    e->follows = words(x->threads);
    e->behind = hd_alloc((x->threads + 1) * sizeof *e->behind);
    e->marks = hd_alloc((x->threads + 1) * sizeof *e->marks);
    e->pending = hd_alloc(((size_t)x->items / 64 + 2) * sizeof *e->pending);
    e->stands = hd_alloc(x->threads + 1);
    e->fired = words(x->items);
    e->cell_disturbed = words(x->cells);
    e->lock_disturbed = words(x->objects);
    e->cell_stamp = words(x->cells);
    e->cell_writer = words(x->cells);
    e->lock_stamp = words(x->objects);
    e->lock_owned = hd_alloc((size_t)x->objects + 1);
    e->lock_sharers = words(x->objects);
    return e;
}

void hd_engine_free(struct hd_engine *e)
{
    if (!e)
        return;
    for (uint32_t u = 0; u < e->threads; u++)
        free(e->marks[u].mark);
    void *parts[] = {e->ideal, e->cap, e->base, e->tails.part, e->tails.item, e->line.part, e->line.item, e->next, e->follows, e->behind, e->stands, e->marks, e->pending,
                     e->cell_stamp, e->cell_writer, e->lock_stamp, e->lock_owned, e->lock_sharers,
                     e->fired, e->cell_disturbed, e->lock_disturbed, e->pool, e->queue, e->fresh, e->source,
                     e->chosen};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    free(e);
}
