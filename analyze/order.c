// SPDX-License-Identifier: Apache-2.0
// Stage 2: the partial order. An item's clock says which items of each thread come
// before it (analyze/marks.c). Rules, for items in the ideal:
//   R1  a write before a read of another write comes before that write
//   R2  a read comes before every write after its own
//   R3  of two sections of which one began before some item of the other, it ended
//       before the other began
//   a wait begins before the signal that ended it
// Below `cut` the ideal keeps its trace order: an edge that agrees with that is not
// stored, one that does not lowers the cut. What is not stored costs no proof: the
// line-up tests every rule again, and a contradiction is one whatever is missing.
#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "proto/memory.h"

uint32_t hd_outermost(const struct hd_index *x, uint32_t item)
{
    uint32_t h = x->item[item].held, start = item;
    for (; h != HD_NO_INDEX; h = x->held[h].below)
        start = x->held[h].take;
    return start;
}

static bool grow(struct hd_engine *e, uint32_t item);

/* What comes before the item, and it. */
static void load_source(struct hd_engine *e, uint32_t item)
{
    const struct hd_item *it = &e->x->item[item];
    const uint32_t *mark = hd_mark_at(e, it->thread, it->index);
    memcpy(e->source, hd_clock_row(e->x, e->must, item), e->threads * sizeof *e->source);
    for (uint32_t u = 0; mark && u < e->threads; u++)
        e->source[u] = mark[u] > e->source[u] ? mark[u] : e->source[u];
    e->source[it->thread] = it->index + 1;
}

/* An item that nothing moved goes where the trace has it, before b: such an edge is stored only once its
 * source moves, when the rules find it again. */
static bool follows_by_itself(const struct hd_engine *e, uint32_t a, uint32_t b)
{
    return a < b && hd_in_ideal(e, a) && !hd_marks_moved(e, a);
}

/* Did this question bring anything new about the thread's items below `bound` to one that has them before it
 * by its clock, `must` of them by its must-clock? */
static bool news(const struct hd_engine *e, uint32_t thread, uint32_t bound, uint32_t must)
{
    return bound > must || (e->marks[thread].count && e->marks[thread].mark[0].from < bound);
}

static bool add(struct hd_engine *e, uint32_t a, uint32_t b, bool always)
{
    const struct hd_index *x = e->x;
    const struct hd_item *ia = &x->item[a], *ib = &x->item[b];
    if (!always && follows_by_itself(e, a, b))
        return true;
    if (hd_order_clock(e, b, ia->thread) > ia->index)
        return true;
    if (!hd_in_ideal(e, a) && !grow(e, a))
        return false;
    if (hd_order_clock(e, a, ib->thread) > ib->index)
        return false;
    if (b < e->cut) {
        if (a < b)
            return true;
        uint32_t start = hd_outermost(x, b);
        e->cut = start < e->cut ? start : e->cut;
    }
    load_source(e, a);
    for (uint32_t u = 0; u < e->threads; u++)
        hd_marks_join(e, u, hd_marks_first(e, u, ib));
    return true;
}

bool hd_order_add(struct hd_engine *e, uint32_t a, uint32_t b)
{
    return add(e, a, b, true);
}

/* A write of the freed read's cell comes before the challenger. */
static bool before_challenger(struct hd_engine *e, uint32_t write)
{
    const struct hd_query *q = e->q;
    if (q->freed == HD_NO_INDEX || write == q->challenger || !hd_touches(e->x, write, e->cell))
        return true;
    return q->challenger != HD_NO_INDEX && hd_order_add(e, write, q->challenger);
}

/* A section of a lock that is held at a frontier ends before that one begins. */
static bool before_frontier(struct hd_engine *e, uint32_t take)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[take];
    for (uint32_t f = 0; f < e->q->frontiers; f++) {
        const struct hd_item *at = &x->item[e->q->frontier[f]];
        uint32_t h = at->thread == it->thread ? HD_NO_INDEX : hd_index_find_held(x, at->held, it->object);
        if (h == HD_NO_INDEX || !hd_excludes(x->held[h].shared, it->shared))
            continue;
        if (it->partner == HD_NO_INDEX || !hd_order_add(e, it->partner, x->held[h].take))
            return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static void inherit(struct hd_engine *e, uint32_t item, uint32_t source)
{
    if (!hd_marks_moved(e, source))
        return;
    load_source(e, source);
    hd_marks_join(e, e->x->item[item].thread, e->x->item[item].index);
}

/* New items take over what their sources learned in this question; their thread's marks hold for them already. */
static void adopt(struct hd_engine *e, uint32_t item)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[item];
    for (uint32_t n = it->need; n < it[1].need; n++)
        inherit(e, item, x->need[n]);
    for (uint32_t k = 0; it->reads && k < it->cells; k++) {
        uint32_t source = hd_source_of(e, item, it->cell + k);
        if (source < HD_LOOSE)
            inherit(e, item, source);
    }
    if (it->class == HD_WOKEN && !it->all && x->signal[it->object] != HD_NO_INDEX)
        inherit(e, item, x->signal[it->object]);
}

static bool grow(struct hd_engine *e, uint32_t item)
{
    const struct hd_index *x = e->x;
    size_t from = e->freshes;
    for (uint32_t u = 0; u < e->threads; u++) {
        uint32_t to = hd_clock(x, e->must, item, u);
        if (to > e->cap[u])
            return false;
        hd_marks_queue(e, u, e->ideal[u], to);
        for (; e->ideal[u] < to; e->ideal[u]++) {
            HD_GROW(e->fresh, e->freshes, e->fresh_room);
            e->fresh[e->freshes++] = hd_item_at(x, u, e->ideal[u]);
        }
    }
    if (e->freshes > from)
        qsort(e->fresh + from, e->freshes - from, sizeof *e->fresh, compare);
    size_t to = e->freshes;
    for (size_t i = from; i < to; i++)
        adopt(e, e->fresh[i]);
    bool ok = true;
    for (size_t i = from; i < to && ok; i++) {
        const struct hd_item *it = &x->item[e->fresh[i]];
        ok = (!it->writes || before_challenger(e, e->fresh[i])) &&
             (it->class != HD_TAKE || before_frontier(e, e->fresh[i]));
    }
    e->freshes = from;
    return ok;
}

/* Entries of the track that may come after write v, from this one on: those after it in the trace, or moved. */
static uint32_t may_follow(const struct hd_engine *e, const struct hd_track *t, uint32_t v, uint32_t end)
{
    const struct hd_index *x = e->x;
    const struct hd_marks *m = &e->marks[t->thread];
    uint32_t moved = m->count ? m->mark[0].from : HD_NO_INDEX, low = t->from, high = end;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2, index = x->writes.at[mid];
        if (index < moved && hd_item_at(x, t->thread, index) <= v)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The first write of the track that comes after write v (HD_NO_INDEX: all do), in the ideal. */
uint32_t hd_order_write_after(const struct hd_engine *e, const struct hd_track *t, uint32_t v)
{
    const struct hd_index *x = e->x;
    const struct hd_item *iv = v == HD_NO_INDEX ? NULL : &x->item[v];
    uint32_t end = t->from + hd_track_count(&x->writes, t, e->ideal[t->thread]), low = t->from, high = end;
    if (iv && iv->thread == t->thread)
        low = high = low + hd_track_count(&x->writes, t, iv->index + 1);
    else if (iv)
        low = may_follow(e, t, v, end);
    while (iv && low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (hd_order_clock(e, hd_item_at(x, t->thread, x->writes.at[mid]), iv->thread) <= iv->index)
            low = mid + 1;
        else
            high = mid;
    }
    return low < end ? hd_item_at(x, t->thread, x->writes.at[low]) : HD_NO_INDEX;
}

/* The last write of the track below `bound`, or HD_NO_INDEX. */
static uint32_t last_write_below(const struct hd_index *x, const struct hd_track *t, uint32_t bound)
{
    uint32_t count = hd_track_count(&x->writes, t, bound);
    return count ? hd_item_at(x, t->thread, x->writes.at[t->from + count - 1]) : HD_NO_INDEX;
}

/* R2 is for the first time that the read moves: then its edges are stored, or the write's side finds them. */
static bool rules_of_read(struct hd_engine *e, uint32_t q, uint32_t cell, bool again)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[q];
    const uint32_t *must = hd_clock_row(x, e->must, q), *mark = hd_mark_at(e, it->thread, it->index);
    uint32_t v = hd_source_of(e, q, cell);
    if (v == HD_LOOSE)
        return true;
    if (e->by_value && x->loose[hd_read_slot(x, q, cell)])
        return hd_source_rules(e, q, cell);
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t u = t->thread, known = u == it->thread ? it->index : must[u];
        uint32_t bound = u != it->thread && mark && mark[u] > known ? mark[u] : known;
        uint32_t y = news(e, u, bound, known) ? last_write_below(x, t, bound) : HD_NO_INDEX;
        if (y != HD_NO_INDEX && y != v && (v == HD_NO_INDEX || !add(e, y, v, false)))
            return false;
        y = again ? HD_NO_INDEX : hd_order_write_after(e, t, v);
        if (y != HD_NO_INDEX && y != q && !add(e, q, y, false))
            return false;
        mark = hd_mark_at(e, it->thread, it->index);
    }
    return true;
}

/* Readers of write slot `slot`, in the ideal, before write y. */
static bool readers_before(struct hd_engine *e, uint32_t slot, uint32_t y)
{
    const struct hd_index *x = e->x;
    const struct hd_tracks *readers = hd_engine_readers(e);
    for (uint32_t n = readers->first[slot]; n < readers->first[slot + 1]; n++) {
        const struct hd_track *t = &readers->track[n];
        uint32_t count = hd_track_count(readers, t, e->ideal[t->thread]);
        uint32_t q = count ? hd_item_at(x, t->thread, readers->at[t->from + count - 1]) : HD_NO_INDEX;
        if (q == y)
            q = count > 1 ? hd_item_at(x, t->thread, readers->at[t->from + count - 2]) : HD_NO_INDEX;
        if (q != HD_NO_INDEX && !add(e, q, y, false))
            return false;
    }
    return true;
}

/* Readers of a write that must come before y are before y as long as they stay; when they move, R2 is theirs. */
static bool rules_of_write(struct hd_engine *e, uint32_t y, uint32_t cell)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[y];
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t bound = t->thread == it->thread ? it->index : hd_order_clock(e, y, t->thread);
        if (t->thread == it->thread || bound <= hd_clock_row(x, e->must, y)[t->thread])
            continue;
        uint32_t v = last_write_below(x, t, bound);
        if (v != HD_NO_INDEX && !readers_before(e, hd_write_slot(x, v, cell), y))
            return false;
    }
    return !e->by_value || hd_sources_before(e, y, cell);
}

/* Sections that began before `last`, an item of this section, ended before it began. */
static bool rule_of_section(struct hd_engine *e, uint32_t take, uint32_t last)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[take];
    for (uint32_t n = x->takes.first[it->object]; n < x->takes.first[it->object + 1]; n++) {
        const struct hd_track *t = &x->takes.track[n];
        uint32_t bound = t->thread == it->thread ? 0 : hd_order_clock(e, last, t->thread);
        if (!bound || !news(e, t->thread, bound, hd_clock_row(x, e->must, last)[t->thread]))
            continue;
        uint32_t other = hd_engine_last_take(e, t, bound, it->shared);
        if (other == HD_NO_INDEX)
            continue;
        uint32_t end = x->item[other].partner;
        if (end == HD_NO_INDEX || !add(e, end, take, false))
            return false;
    }
    return true;
}

/* The first section of the thread, in the ideal, that has the acquire `take` before one of its items. */
static uint32_t section_after(const struct hd_engine *e, uint32_t take, const struct hd_track *t)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[take];
    uint32_t from = hd_marks_first(e, t->thread, it), end = e->ideal[t->thread];
    if (from >= end)
        return HD_NO_INDEX;
    uint32_t h = hd_index_find_held(x, hd_index_held(x, t->thread, from), it->object);
    if (h != HD_NO_INDEX && hd_excludes(x->held[h].shared, it->shared))
        return x->held[h].take;
    for (uint32_t n = t->from + hd_track_count(&x->takes, t, from); n < t->to && x->takes.at[n] < end; n++) {
        uint32_t other = hd_item_at(x, t->thread, x->takes.at[n]);
        if (hd_excludes(x->item[other].shared, it->shared))
            return other;
    }
    return HD_NO_INDEX;
}

/* This end of a section moved: so do the sections after it. */
static bool rule_of_end(struct hd_engine *e, uint32_t end)
{
    const struct hd_index *x = e->x;
    uint32_t take = x->item[end].partner, lock = x->item[take].object;
    for (uint32_t n = x->takes.first[lock]; n < x->takes.first[lock + 1]; n++) {
        const struct hd_track *t = &x->takes.track[n];
        uint32_t other = t->thread == x->item[end].thread ? HD_NO_INDEX : section_after(e, take, t);
        if (other != HD_NO_INDEX && !add(e, end, other, false))
            return false;
    }
    return true;
}

static bool rules_of_sections(struct hd_engine *e, uint32_t item, bool again)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[item];
    if ((it->class == HD_LEAVE || it->class == HD_WAITS) && it->partner != HD_NO_INDEX &&
        (!rule_of_section(e, it->partner, item) || (!again && !rule_of_end(e, item))))
        return false;
    if (it->index + 1 != e->ideal[it->thread])
        return true;
    for (uint32_t h = hd_index_held(x, it->thread, it->index + 1); h != HD_NO_INDEX; h = x->held[h].below)
        if (!rule_of_section(e, x->held[h].take, item))
            return false;
    return true;
}

static bool rule_of_wait(struct hd_engine *e, const struct hd_item *it)
{
    if (it->class != HD_WAITS && it->class != HD_SIGNALS && it->class != HD_WOKEN)
        return true;
    uint32_t wake = e->x->wake[it->object];
    if (wake == HD_NO_INDEX || !hd_in_ideal(e, wake))
        return true;
    return add(e, e->x->item[wake].partner, e->x->signal[it->object], false);
}

bool hd_order_fire(struct hd_engine *e, uint32_t item)
{
    const struct hd_item *it = &e->x->item[item];
    bool again = !e->frozen && e->fired[item] == e->stamp;
    if (!again && hd_marks_moved(e, item))
        e->fired[item] = e->stamp;
    for (uint32_t c = it->cell; it->class == HD_ACCESS && c < it->cell + it->cells; c++) {
        if (it->reads && !rules_of_read(e, item, c, again))
            return false;
        if (it->writes && !rules_of_write(e, item, c))
            return false;
    }
    return rules_of_sections(e, item, again) && rule_of_wait(e, it);
}

bool hd_order_settle(struct hd_engine *e, uint32_t firings)
{
    while (firings--) {
        uint32_t item = hd_marks_next(e);
        if (item == HD_NO_INDEX)
            return true;
        if (!hd_order_fire(e, item)) {
            hd_marks_drop_queue(e);
            return false;
        }
    }
    return true;
}

bool hd_order_start(struct hd_engine *e)
{
    const struct hd_index *x = e->x;
    hd_marks_reset(e);
    e->stamp++;
    e->freshes = 0;
    e->chosens = 0;
    e->cut = HD_NO_INDEX;
    if (e->by_value)
        e->cut = hd_sources_cut(e);
    for (uint32_t f = 0; f < e->q->frontiers; f++) {
        const struct hd_item *at = &x->item[e->q->frontier[f]];
        for (uint32_t h = at->held; h != HD_NO_INDEX; h = x->held[h].below) {
            uint32_t lock = x->held[h].lock;
            for (uint32_t n = x->takes.first[lock]; n < x->takes.first[lock + 1]; n++) {
                const struct hd_track *t = &x->takes.track[n];
                uint32_t take = t->thread == at->thread
                                    ? HD_NO_INDEX
                                    : hd_engine_last_take(e, t, e->ideal[t->thread], x->held[h].shared);
                if (take != HD_NO_INDEX && !before_frontier(e, take))
                    return false;
            }
        }
    }
    for (uint32_t n = x->writes.first[e->cell]; e->q->freed != HD_NO_INDEX && n < x->writes.first[e->cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t count = hd_track_count(&x->writes, t, e->ideal[t->thread]);
        if (count && !before_challenger(e, hd_item_at(x, t->thread, x->writes.at[t->from + count - 1])))
            return false;
    }
    return true;
}
