// SPDX-License-Identifier: Apache-2.0
// Must-clocks: passes in trace order, each from below, so every pass's claims are
// true. By writer one pass is all; by value a read may have seen a later write.
#include <stdlib.h>
#include <string.h>

#include "analyze/index.h"
#include "proto/memory.h"

enum { PASSES = 4, SOURCES = 12 };

struct clock {
    struct hd_index *x;
    bool by_value;
    struct hd_clocks *out, before; /* before: of the last pass */
    uint32_t at;                   /* items up to here have rows in `out` */
    uint32_t *now;                 /* [thread][thread] */
    uint32_t *last, *meet;
    bool changed;
};

static uint32_t known(const struct clock *k, uint32_t item, uint32_t thread)
{
    const struct hd_item *it = &k->x->item[item];
    if (it->thread == thread)
        return it->index + 1;
    if (item < k->at)
        return hd_clock(k->x, k->out, item, thread);
    return k->before.row ? hd_clock(k->x, &k->before, item, thread) : 0;
}

static bool raise_to(uint32_t *row, uint32_t thread, uint32_t own, uint32_t to)
{
    if (thread == own || row[thread] >= to)
        return false;
    row[thread] = to;
    return true;
}

static bool join(const struct clock *k, uint32_t *row, uint32_t own, uint32_t item)
{
    bool changed = false;
    const struct hd_item *it = &k->x->item[item];
    if (it->thread == own || row[it->thread] > it->index)
        return false;
    for (uint32_t u = 0; u < k->x->threads; u++)
        changed |= raise_to(row, u, own, known(k, item, u));
    return changed;
}

/* Does a write known to precede the read come after write s (HD_NO_INDEX: the initial contents)? */
static bool hidden(const struct clock *k, uint32_t s)
{
    const struct hd_index *x = k->x;
    for (uint32_t u = 0; u < x->threads; u++) {
        uint32_t z = k->last[u];
        if (z == HD_NO_INDEX || z == s)
            continue;
        if (s == HD_NO_INDEX || known(k, z, x->item[s].thread) > x->item[s].index)
            return true;
    }
    return false;
}

/* last[u]: the last write of the cell by u that must precede item i. */
static void last_writes(const struct clock *k, uint32_t cell, uint32_t i, const uint32_t *row)
{
    const struct hd_index *x = k->x;
    memset(k->last, 0xff, x->threads * sizeof *k->last);
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t bound = t->thread == x->item[i].thread ? x->item[i].index : row[t->thread];
        uint32_t count = hd_track_count(&x->writes, t, bound);
        if (count)
            k->last[t->thread] = hd_item_at(x, t->thread, x->writes.at[t->from + count - 1]);
    }
}

static void meet_with(const struct clock *k, uint32_t item)
{
    for (uint32_t u = 0; u < k->x->threads; u++) {
        uint32_t c = known(k, item, u);
        k->meet[u] = c < k->meet[u] ? c : k->meet[u];
    }
}

/* What every write that the read may have seen has before it. */
static bool meet_sources(const struct clock *k, uint32_t i, uint32_t cell, const uint32_t *row)
{
    const struct hd_index *x = k->x;
    const struct hd_item *it = &x->item[i];
    uint32_t token = x->token[hd_read_slot(x, i, cell)];
    if (x->token_first[token + 1] - x->token_first[token] > SOURCES)
        return false;
    last_writes(k, cell, i, row);
    uint32_t own = k->last[it->thread];
    if (own != HD_NO_INDEX && x->token[hd_write_slot(x, own, cell)] == token && !hidden(k, own))
        return false;
    if (x->cell[cell].initial == token && !hidden(k, HD_NO_INDEX))
        return false;
    bool any = false;
    memset(k->meet, 0xff, x->threads * sizeof *k->meet);
    for (uint32_t n = x->token_first[token]; n < x->token_first[token + 1]; n++) {
        uint32_t s = x->token_write[n];
        if (x->item[s].thread == it->thread || known(k, s, it->thread) > it->index || hidden(k, s))
            continue;
        any = true;
        meet_with(k, s);
    }
    return any;
}

static bool join_meet(const struct clock *k, uint32_t *row, uint32_t own)
{
    bool changed = false;
    for (uint32_t u = 0; u < k->x->threads; u++)
        changed |= raise_to(row, u, own, k->meet[u]);
    return changed;
}

static bool join_reads(const struct clock *k, uint32_t i, uint32_t *row)
{
    const struct hd_index *x = k->x;
    const struct hd_item *it = &x->item[i];
    bool changed = false;
    for (uint32_t c = it->cell; it->reads && c < it->cell + it->cells; c++) {
        uint32_t w = x->writer[hd_read_slot(x, i, c)];
        if (!k->by_value)
            changed |= w != HD_NO_INDEX && join(k, row, it->thread, w);
        else if (meet_sources(k, i, c, row))
            changed |= join_meet(k, row, it->thread);
    }
    return changed;
}

/* The signal is one of those that need not come before the wait. */
static bool join_signals(const struct clock *k, uint32_t i, uint32_t *row)
{
    const struct hd_index *x = k->x;
    const struct hd_item *it = &x->item[i];
    bool any = false;
    memset(k->meet, 0xff, x->threads * sizeof *k->meet);
    for (uint32_t n = x->signals.first[it->object]; n < x->signals.first[it->object + 1]; n++) {
        const struct hd_track *t = &x->signals.track[n];
        if (t->thread == it->thread)
            continue;
        uint32_t before = hd_track_count(&x->signals, t, known(k, it->partner, t->thread));
        if (before == t->to - t->from)
            continue;
        any = true;
        meet_with(k, hd_item_at(x, t->thread, x->signals.at[t->from + before]));
    }
    return any && join_meet(k, row, it->thread);
}

static uint32_t posts_of(const struct hd_index *x, const struct hd_track *t, const struct hd_item *it)
{
    return t->thread == it->thread ? hd_track_count(&x->posts, t, it->index) : t->to - t->from;
}

/* So many waits come before this one that all the others' posts together are too few. */
static bool join_posts(const struct clock *k, uint32_t i, uint32_t *row)
{
    const struct hd_index *x = k->x;
    const struct hd_item *it = &x->item[i];
    uint64_t waits = 1, posts = x->initial[it->object];
    bool changed = false;
    for (uint32_t n = x->passes.first[it->object]; n < x->passes.first[it->object + 1]; n++) {
        const struct hd_track *t = &x->passes.track[n];
        waits += hd_track_count(&x->passes, t, t->thread == it->thread ? it->index : row[t->thread]);
    }
    uint32_t from = x->posts.first[it->object], to = x->posts.first[it->object + 1];
    for (uint32_t n = from; n < to; n++)
        posts += posts_of(x, &x->posts.track[n], it);
    for (uint32_t n = from; n < to; n++) {
        const struct hd_track *t = &x->posts.track[n];
        uint64_t others = posts - posts_of(x, t, it);
        if (t->thread != it->thread && waits > others && waits - others <= t->to - t->from)
            changed |= join(k, row, it->thread,
                            hd_item_at(x, t->thread, x->posts.at[t->from + (waits - others) - 1]));
    }
    return changed;
}

/* A section of this lock that began before i has ended before i. */
static bool close_sections(const struct clock *k, const struct hd_item *it, uint32_t *row, uint32_t lock, bool shared)
{
    const struct hd_index *x = k->x;
    bool changed = false;
    for (uint32_t n = x->takes.first[lock]; n < x->takes.first[lock + 1]; n++) {
        const struct hd_track *t = &x->takes.track[n];
        uint32_t count = t->thread == it->thread ? 0 : hd_track_count(&x->takes, t, row[t->thread]);
        for (; count; count--) {
            const struct hd_item *take = &x->item[hd_item_at(x, t->thread, x->takes.at[t->from + count - 1])];
            if (!hd_excludes(take->shared, shared))
                continue;
            if (take->partner != HD_NO_INDEX)
                changed |= join(k, row, it->thread, take->partner);
            break;
        }
    }
    return changed;
}

/* What the last pass knew of an item may be less than this pass does: the engine needs rows that are closed. */
static bool close_row(const struct clock *k, const struct hd_item *it, uint32_t *row)
{
    bool changed = false;
    for (uint32_t u = 0; u < k->x->threads; u++) {
        if (u == it->thread || !row[u])
            continue;
        uint32_t last = hd_item_at(k->x, u, row[u] - 1);
        for (uint32_t w = 0; w < k->x->threads; w++)
            changed |= raise_to(row, w, it->thread, known(k, last, w));
    }
    return changed;
}

static bool refine(const struct clock *k, uint32_t i, uint32_t *row)
{
    const struct hd_index *x = k->x;
    const struct hd_item *it = &x->item[i];
    bool changed = join_reads(k, i, row), any;
    if (k->before.row)
        for (uint32_t u = 0; u < x->threads; u++)
            changed |= raise_to(row, u, it->thread, hd_clock(x, &k->before, i, u));
    for (uint32_t n = it->need; n < it[1].need; n++)
        changed |= join(k, row, it->thread, x->need[n]);
    if (it->class == HD_WOKEN && !it->all)
        changed |= join_signals(k, i, row);
    if (it->class == HD_PASSES)
        changed |= join_posts(k, i, row);
    any = changed || it->class == HD_TAKE;
    while (any) {
        any = it->class == HD_TAKE && close_sections(k, it, row, it->object, it->shared);
        for (uint32_t h = it->held; h != HD_NO_INDEX; h = x->held[h].below)
            any |= close_sections(k, it, row, x->held[h].lock, x->held[h].shared);
        changed |= any;
    }
    if (changed && k->by_value)
        changed |= close_row(k, it, row);
    return changed;
}

static void add_row(struct clock *k, uint32_t thread, uint32_t index, const uint32_t *row)
{
    struct hd_rows *r = &k->out->of[thread];
    size_t width = k->x->threads;
    if (r->rows >= r->room) {
        r->room = r->room ? r->room + r->room / 2 : 16;
        r->entry = hd_realloc(r->entry, r->room, width * sizeof *r->entry);
        r->start = hd_realloc(r->start, r->room, sizeof *r->start);
    }
    r->start[r->rows] = index;
    memcpy(r->entry + r->rows++ * width, row, width * sizeof *row);
}

static void pass(struct clock *k)
{
    struct hd_index *x = k->x;
    memset(k->now, 0, ((size_t)x->threads * x->threads) * sizeof *k->now);
    k->out->row = hd_alloc(((size_t)x->items + 1) * sizeof *k->out->row);
    k->out->of = hd_alloc(((size_t)x->threads + 1) * sizeof *k->out->of);
    for (k->at = 0; k->at < x->items; k->at++) {
        uint32_t t = x->item[k->at].thread, *row = k->now + (size_t)t * x->threads;
        if (refine(k, k->at, row) || !k->out->of[t].rows)
            add_row(k, t, x->item[k->at].index, row);
        k->out->row[k->at] = (uint32_t)k->out->of[t].rows - 1;
        for (uint32_t u = 0; k->before.row && u < x->threads && !k->changed; u++)
            k->changed = u != t && row[u] != hd_clock(x, &k->before, k->at, u);
    }
    for (uint32_t t = 0; t < x->threads; t++) {
        struct hd_rows *r = &k->out->of[t];
        r->room = r->rows;
        r->entry = hd_realloc(r->entry, r->rows + 1, x->threads * sizeof *r->entry);
        r->start = hd_realloc(r->start, r->rows + 1, sizeof *r->start);
    }
}

void hd_clocks_free(struct hd_clocks *c, uint32_t threads)
{
    for (uint32_t t = 0; c->of && t < threads; t++) {
        free(c->of[t].entry);
        free(c->of[t].start);
    }
    free(c->of);
    free(c->row);
    *c = (struct hd_clocks){0};
}

static void compute(struct hd_index *x, struct hd_clocks *out, bool by_value)
{
    struct clock k = {.x = x, .out = out, .by_value = by_value, .changed = true};
    k.now = hd_alloc(((size_t)x->threads * x->threads + 1) * sizeof *k.now);
    k.last = hd_alloc(((size_t)x->threads + 1) * sizeof *k.last);
    k.meet = hd_alloc(((size_t)x->threads + 1) * sizeof *k.meet);
    for (int n = 0; n < (by_value ? PASSES : 1) && k.changed; n++) {
        k.changed = n == 0;
        pass(&k);
        hd_clocks_free(&k.before, x->threads);
        if (by_value && n + 1 < PASSES && k.changed) {
            k.before = *out;
            *out = (struct hd_clocks){0};
        }
    }
    free(k.now);
    free(k.last);
    free(k.meet);
}

void hd_clock_compute(struct hd_index *x)
{
    compute(x, &x->must, false);
    if (x->by_value)
        compute(x, &x->must_value, true);
}
