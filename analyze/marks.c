// SPDX-License-Identifier: Apache-2.0
// The clocks of stage 2. An edge changes a run of items in every thread, all by the
// same join; so a thread has a few marks, each with the join of all that came up to
// it, and an item's clock is its must-clock joined with the mark it stands under.
#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "proto/memory.h"

void hd_marks_reset(struct hd_engine *e)
{
    hd_marks_drop_queue(e);
    for (uint32_t u = 0; u < e->threads; u++)
        e->marks[u].count = 0;
    e->pooled = e->frozen = 0;
}

bool hd_marks_moved(const struct hd_engine *e, uint32_t item)
{
    const struct hd_item *it = &e->x->item[item];
    const uint32_t *mark = hd_mark_at(e, it->thread, it->index);
    if (!mark)
        return false;
    const uint32_t *row = hd_clock_row(e->x, e->must, item);
    for (uint32_t u = 0; u < e->threads; u++)
        if (mark[u] > row[u])
            return true;
    return false;
}

uint32_t hd_marks_first(const struct hd_engine *e, uint32_t thread, const struct hd_item *b)
{
    const struct hd_marks *m = &e->marks[thread];
    uint32_t end = e->ideal[thread], low = 0, high = m->count;
    if (thread == b->thread)
        return b->index;
    if (!end || hd_order_clock(e, hd_item_at(e->x, thread, end - 1), b->thread) <= b->index)
        return end;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (e->pool[(size_t)m->mark[mid].clock * e->threads + b->thread] <= b->index)
            low = mid + 1;
        else
            high = mid;
    }
    uint32_t by_mark = low < m->count ? m->mark[low].from : end;
    uint32_t by_must = hd_clock_first(e->x, e->must, thread, b->thread, b->index);
    return by_mark < by_must ? by_mark : by_must;
}

static uint32_t add_clock(struct hd_engine *e)
{
    if (e->pooled >= e->pool_room) {
        e->pool_room = e->pool_room ? e->pool_room * 2 : 256;
        e->pool = hd_realloc(e->pool, e->pool_room, e->threads * sizeof *e->pool);
    }
    return (uint32_t)e->pooled++;
}

static bool covers(const struct hd_engine *e, const uint32_t *clock)
{
    for (uint32_t u = 0; u < e->threads; u++)
        if (e->source[u] > clock[u])
            return false;
    return true;
}

/* Does the item at this index have all of e->source before it? */
static bool has_source(const struct hd_engine *e, uint32_t thread, uint32_t index)
{
    const uint32_t *row = hd_clock_row(e->x, e->must, hd_item_at(e->x, thread, index));
    const uint32_t *mark = hd_mark_at(e, thread, index);
    if (!mark)
        return covers(e, row);
    for (uint32_t u = 0; u < e->threads; u++)
        if (e->source[u] > row[u] && e->source[u] > mark[u])
            return false;
    return true;
}

static void join_mark(struct hd_engine *e, struct hd_mark *m)
{
    if (m->clock < e->frozen) {
        uint32_t copy = add_clock(e);
        memcpy(e->pool + (size_t)copy * e->threads, e->pool + (size_t)m->clock * e->threads,
               e->threads * sizeof *e->pool);
        m->clock = copy;
    }
    uint32_t *clock = e->pool + (size_t)m->clock * e->threads;
    for (uint32_t u = 0; u < e->threads; u++)
        clock[u] = e->source[u] > clock[u] ? e->source[u] : clock[u];
}

/* A mark at `from`, saying what the one before it says. */
static uint32_t place_mark(struct hd_engine *e, uint32_t thread, uint32_t from)
{
    struct hd_marks *m = &e->marks[thread];
    uint32_t at = m->count;
    while (at && m->mark[at - 1].from >= from)
        at--;
    if (at < m->count && m->mark[at].from == from)
        return at;
    uint32_t clock = add_clock(e), *row = e->pool + (size_t)clock * e->threads;
    if (at)
        memcpy(row, e->pool + (size_t)m->mark[at - 1].clock * e->threads, e->threads * sizeof *row);
    else
        memset(row, 0, e->threads * sizeof *row);
    HD_GROW(m->mark, m->count, m->room);
    memmove(m->mark + at + 1, m->mark + at, (m->count - at) * sizeof *m->mark);
    m->mark[at] = (struct hd_mark){from, clock};
    m->count++;
    return at;
}

void hd_marks_join(struct hd_engine *e, uint32_t thread, uint32_t from)
{
    struct hd_marks *m = &e->marks[thread];
    uint32_t low = from, high = e->ideal[thread], kept = e->source[thread];
    e->source[thread] = 0;
    if (low < high && !has_source(e, thread, low)) {
        low = has_source(e, thread, high - 1) ? low : high;
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (has_source(e, thread, mid))
                high = mid;
            else
                low = mid + 1;
        }
        for (uint32_t i = place_mark(e, thread, from); i < m->count; i++) {
            if (m->mark[i].from > from && covers(e, e->pool + (size_t)m->mark[i].clock * e->threads))
                break;
            join_mark(e, &m->mark[i]);
        }
        hd_marks_queue(e, thread, from, low);
    }
    e->source[thread] = kept;
}

void hd_marks_queue(struct hd_engine *e, uint32_t thread, uint32_t from, uint32_t to)
{
    size_t base = (size_t)(e->x->thread[thread].item - e->x->thread_items), at = base + from, end = base + to;
    if (from >= to)
        return;
    for (; at < end; at = (at | 63) + 1) {
        uint64_t bits = UINT64_MAX << (at & 63);
        if ((at | 63) >= end)
            bits &= ~(UINT64_MAX << (end & 63));
        e->pending[at >> 6] |= bits;
    }
    HD_GROW(e->queue, e->tail, e->queue_room);
    e->queue[e->tail++] = (struct hd_range){thread, from, to};
}

uint32_t hd_marks_next(struct hd_engine *e)
{
    while (e->head < e->tail) {
        struct hd_range *r = &e->queue[e->head];
        size_t base = (size_t)(e->x->thread[r->thread].item - e->x->thread_items);
        while (r->from < r->to) {
            size_t at = base + r->from;
            uint64_t bits = e->pending[at >> 6] >> (at & 63);
            uint32_t skip = bits ? (uint32_t)__builtin_ctzll(bits) : 64 - (uint32_t)(at & 63);
            r->from += skip;
            if (!bits || r->from >= r->to)
                continue;
            at = base + r->from;
            e->pending[at >> 6] &= ~((uint64_t)1 << (at & 63));
            return hd_item_at(e->x, r->thread, r->from++);
        }
        e->head++;
    }
    e->head = e->tail = 0;
    return HD_NO_INDEX;
}

static size_t bit_of(const struct hd_engine *e, uint32_t item)
{
    const struct hd_item *it = &e->x->item[item];
    return (size_t)(e->x->thread[it->thread].item - e->x->thread_items) + it->index;
}

bool hd_marks_take(struct hd_engine *e, uint32_t item)
{
    size_t at = bit_of(e, item);
    uint64_t bit = (uint64_t)1 << (at & 63);
    bool queued = (e->pending[at >> 6] & bit) != 0;
    e->pending[at >> 6] &= ~bit;
    return queued;
}

void hd_marks_drop_queue(struct hd_engine *e)
{
    for (; e->head < e->tail; e->head++) {
        const struct hd_range *r = &e->queue[e->head];
        size_t base = (size_t)(e->x->thread[r->thread].item - e->x->thread_items);
        for (size_t word = (base + r->from) >> 6; r->from < r->to && word <= (base + r->to - 1) >> 6; word++)
            e->pending[word] = 0;
    }
    e->head = e->tail = 0;
}

bool hd_marks_settled(const struct hd_engine *e) { return e->head == e->tail; }

struct hd_saved { size_t pooled, frozen; uint32_t *counts; struct hd_mark *mark; };

struct hd_saved *hd_marks_save(struct hd_engine *e)
{
    struct hd_saved *s = hd_alloc(sizeof *s);
    size_t total = 0;
    s->pooled = e->pooled;
    s->frozen = e->frozen;
    s->counts = hd_alloc((e->threads + 1) * sizeof *s->counts);
    for (uint32_t u = 0; u < e->threads; u++)
        total += s->counts[u] = e->marks[u].count;
    s->mark = hd_alloc((total + 1) * sizeof *s->mark);
    total = 0;
    for (uint32_t u = 0; u < e->threads; total += s->counts[u++])
        if (s->counts[u])
            memcpy(s->mark + total, e->marks[u].mark, s->counts[u] * sizeof *s->mark);
    e->frozen = e->pooled;
    return s;
}

void hd_marks_restore(struct hd_engine *e, const struct hd_saved *s)
{
    size_t total = 0;
    for (uint32_t u = 0; u < e->threads; total += s->counts[u++]) {
        e->marks[u].count = s->counts[u];
        if (s->counts[u])
            memcpy(e->marks[u].mark, s->mark + total, s->counts[u] * sizeof *s->mark);
    }
    e->pooled = e->frozen = s->pooled;
}

void hd_marks_forget(struct hd_engine *e, struct hd_saved *s)
{
    e->frozen = s->frozen;
    free(s->counts);
    free(s->mark);
    free(s);
}
