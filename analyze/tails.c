// SPDX-License-Identifier: Apache-2.0
// Stage 1: the ideal in trace order, and at most two tails after it.
#include <string.h>

#include "analyze/engine.h"
#include "proto/memory.h"

enum { LONGEST = 256 };

struct plan {
    struct hd_engine *e;
    uint32_t *part; /* what stays in trace order */
    struct hd_tail tail[2];
    uint32_t tails;
};

static bool is_tail(const struct plan *p, uint32_t thread)
{
    for (uint32_t i = 0; i < p->tails; i++)
        if (p->tail[i].thread == thread)
            return true;
    return false;
}

/* Where the block of the item at `index` begins: its outermost section, or itself. */
static uint32_t block_start(const struct hd_index *x, uint32_t thread, uint32_t index)
{
    uint32_t h = hd_index_held(x, thread, index), start = index;
    for (; h != HD_NO_INDEX; h = x->held[h].below)
        start = x->item[x->held[h].take].index;
    return start;
}

/* An open section that another one follows in the trace has to end. False: it cannot. */
static bool close_open(const struct plan *p, uint32_t thread, bool *changed)
{
    const struct hd_engine *e = p->e;
    const struct hd_index *x = e->x;
    for (uint32_t h = hd_index_held(x, thread, p->part[thread]); h != HD_NO_INDEX; h = x->held[h].below) {
        uint32_t lock = x->held[h].lock;
        for (uint32_t n = x->takes.first[lock]; n < x->takes.first[lock + 1]; n++) {
            const struct hd_track *t = &x->takes.track[n];
            if (t->thread == thread)
                continue;
            uint32_t take = hd_engine_last_take(e, t, p->part[t->thread], x->held[h].shared);
            if (take == HD_NO_INDEX || take < x->held[h].take)
                continue;
            uint32_t end = x->item[x->held[h].take].partner;
            if (end == HD_NO_INDEX || x->item[end].index >= e->cap[thread] || is_tail(p, thread))
                return false;
            hd_engine_raise(e, p->part, end);
            *changed = true;
            return true;
        }
    }
    return true;
}

static bool within(const struct plan *p)
{
    for (uint32_t u = 0; u < p->e->threads; u++)
        if (p->part[u] > p->e->cap[u])
            return false;
    for (uint32_t i = 0; i < p->tails; i++)
        if (p->part[p->tail[i].thread] > p->tail[i].from)
            return false;
    return true;
}

static bool close_all(const struct plan *p)
{
    bool changed = true;
    while (changed) {
        changed = false;
        if (!within(p))
            return false;
        for (uint32_t u = 0; u < p->e->threads; u++)
            if (p->part[u] && !close_open(p, u, &changed))
                return false;
    }
    return true;
}

/* Nothing that comes before a tail needs it. */
static bool independent(const struct plan *p)
{
    const struct hd_index *x = p->e->x;
    for (uint32_t i = 0; i < p->tails; i++) {
        for (uint32_t u = 0; u < p->e->threads; u++)
            if (u != p->tail[i].thread && p->part[u] &&
                hd_clock(x, p->e->must, hd_item_at(x, u, p->part[u] - 1), p->tail[i].thread) > p->tail[i].from)
                return false;
        for (uint32_t k = 0; k < i; k++)
            if (p->tail[k].to > p->tail[k].from &&
                hd_clock(x, p->e->must, hd_item_at(x, p->tail[k].thread, p->tail[k].to - 1), p->tail[i].thread) >
                    p->tail[i].from)
                return false;
    }
    return true;
}

/* Last write of the cell when the item at (tail i, index) is to be made. */
static uint32_t last_write_at(const struct plan *p, uint32_t cell, uint32_t i, uint32_t index)
{
    const struct hd_index *x = p->e->x;
    for (uint32_t k = i + 1; k-- > 0;) {
        const struct hd_tail *t = &p->tail[k];
        for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
            const struct hd_track *w = &x->writes.track[n];
            if (w->thread != t->thread)
                continue;
            uint32_t count = hd_track_count(&x->writes, w, k == i ? index : t->to);
            if (count && x->writes.at[w->from + count - 1] >= t->from)
                return hd_item_at(x, t->thread, x->writes.at[w->from + count - 1]);
        }
    }
    return hd_engine_last_write(p->e, p->part, cell);
}

/* Does somebody outside the tail, or in a tail before, hold the lock when tail i begins? */
static bool lock_taken(const struct plan *p, uint32_t i, const struct hd_item *take)
{
    const struct hd_index *x = p->e->x;
    for (uint32_t n = x->takes.first[take->object]; n < x->takes.first[take->object + 1]; n++) {
        uint32_t u = x->takes.track[n].thread, done = p->part[u];
        if (u == take->thread)
            continue;
        for (uint32_t k = 0; k < i; k++)
            done = p->tail[k].thread == u ? p->tail[k].to : done;
        uint32_t h = hd_index_find_held(x, hd_index_held(x, u, done), take->object);
        if (h != HD_NO_INDEX && hd_excludes(x->held[h].shared, take->shared))
            return true;
    }
    return false;
}

static bool tail_fits(const struct plan *p, uint32_t i)
{
    const struct hd_index *x = p->e->x;
    const struct hd_tail *t = &p->tail[i];
    if (t->to - t->from > LONGEST)
        return false;
    for (uint32_t n = t->from; n < t->to; n++) {
        uint32_t item = hd_item_at(x, t->thread, n);
        const struct hd_item *it = &x->item[item];
        if (it->class == HD_TAKE && lock_taken(p, i, it))
            return false;
        if (it->class == HD_SIGNALS)
            return false;
        for (uint32_t c = it->cell; it->reads && c < it->cell + it->cells; c++)
            if (last_write_at(p, c, i, n) != x->writer[hd_read_slot(x, item, c)])
                return false;
    }
    return true;
}

/* A signal that stays, of a wait that moves to a tail, would come too early. */
static bool waits_stay(const struct plan *p)
{
    const struct hd_index *x = p->e->x;
    for (uint32_t i = 0; i < p->tails; i++)
        for (uint32_t n = p->tail[i].from; n < p->tail[i].to; n++)
            if (x->item[hd_item_at(x, p->tail[i].thread, n)].class == HD_WAITS ||
                x->item[hd_item_at(x, p->tail[i].thread, n)].class == HD_WOKEN)
                return false;
    return true;
}

static bool challenger_last(const struct plan *p)
{
    const struct hd_query *q = p->e->q;
    if (q->freed == HD_NO_INDEX)
        return true;
    uint32_t last = p->tails ? p->tails - 1 : 0;
    return (p->tails ? last_write_at(p, p->e->cell, last, p->tail[last].to)
                     : hd_engine_last_write(p->e, p->part, p->e->cell)) == q->challenger;
}

static bool fits(const struct plan *p)
{
    struct hd_engine *e = p->e;
    for (uint32_t i = 0; i < p->tails; i++)
        p->part[p->tail[i].thread] = p->tail[i].from;
    if (!close_all(p) || !independent(p) || !challenger_last(p) || !waits_stay(p))
        return false;
    for (uint32_t i = 0; i < p->tails; i++)
        if (!tail_fits(p, i))
            return false;
    e->tails.cut = HD_NO_INDEX;
    e->tails.items = 0;
    for (uint32_t i = 0; i < p->tails; i++)
        for (uint32_t n = p->tail[i].from; n < p->tail[i].to; n++) {
            HD_GROW(e->tails.item, e->tails.items, e->tails.room);
            e->tails.item[e->tails.items++] = hd_item_at(e->x, p->tail[i].thread, n);
        }
    e->said = &e->tails;
    return true;
}

static void add_tail(struct plan *p, uint32_t thread, uint32_t index)
{
    uint32_t from = block_start(p->e->x, thread, index), to = p->e->ideal[thread];
    p->tail[p->tails++] = (struct hd_tail){thread, from < to ? from : to, to};
}

bool hd_engine_tails(struct hd_engine *e)
{
    const struct hd_query *q = e->q;
    for (int variant = 0; variant < 3; variant++) {
        struct plan p = {.e = e, .part = e->tails.part};
        memcpy(p.part, e->ideal, e->threads * sizeof *p.part);
        if (variant == 2 && q->freed != HD_NO_INDEX && q->challenger != HD_NO_INDEX)
            add_tail(&p, e->x->item[q->challenger].thread, e->x->item[q->challenger].index);
        else if (variant == 2)
            break;
        if (variant > 0 && q->frontiers == 1)
            add_tail(&p, e->x->item[q->frontier[0]].thread, e->x->item[q->frontier[0]].index);
        else if (variant > 0)
            break;
        if (fits(&p))
            return true;
    }
    return false;
}
