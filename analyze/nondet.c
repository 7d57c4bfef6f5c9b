// SPDX-License-Identifier: Apache-2.0
// Triplets: can read r see challenger c (or the initial contents) instead of its
// writer w? Some carry the name of a broken atomic unit.

#include <stdlib.h>

#include "analyze/engine.h"
#include "analyze/run.h"
#include "proto/memory.h"

static uint32_t writer_of(const struct hd_index *x, uint32_t r, uint32_t cell)
{
    return x->writer[hd_read_slot(x, r, cell)];
}

/* The cell that speaks for the candidate: the first in which w is not c, preferably a differing one. */
static uint32_t main_cell(const struct hd_index *x, uint32_t r, uint32_t c)
{
    uint32_t best = HD_NO_INDEX;
    for (uint32_t k = 0; k < x->item[r].cells; k++) {
        uint32_t cell = x->item[r].cell + k;
        if (c != HD_NO_INDEX && (!hd_touches(x, c, cell) || writer_of(x, r, cell) == c))
            continue;
        if (c == HD_NO_INDEX) {
            uint32_t w = writer_of(x, r, cell);
            if (w == HD_NO_INDEX || x->item[w].thread == x->item[r].thread)
                continue;
        }
        if (hd_feas_differs(x, r, c, cell))
            return cell;
        if (best == HD_NO_INDEX)
            best = cell;
    }
    return best;
}

static bool any_differs(const struct hd_index *x, uint32_t r, uint32_t c)
{
    for (uint32_t k = 0; k < x->item[r].cells; k++)
        if (hd_feas_differs(x, r, c, x->item[r].cell + k))
            return true;
    return false;
}

/* Last access of the track set to the cell by the thread of item i before it; or first after it. */
static uint32_t neighbour(const struct hd_index *x, const struct hd_tracks *s, uint32_t cell, uint32_t i, bool after)
{
    const struct hd_item *it = &x->item[i];
    for (uint32_t n = s->first[cell]; n < s->first[cell + 1]; n++) {
        const struct hd_track *t = &s->track[n];
        if (t->thread != it->thread)
            continue;
        uint32_t count = hd_track_count(s, t, after ? it->index + 1 : it->index);
        if (after && count < t->to - t->from)
            return hd_item_at(x, t->thread, s->at[t->from + count]);
        if (!after && count)
            return hd_item_at(x, t->thread, s->at[t->from + count - 1]);
    }
    return HD_NO_INDEX;
}

/* The read that w's update started from. One in the same critical section is no place to stand while another thread
 * has the lock: then the one before the section, which may be what the update was decided by. */
static uint32_t read_before_update(const struct hd_index *x, uint32_t cell, uint32_t w)
{
    uint32_t r1 = neighbour(x, &x->reads, cell, w, false), section = hd_outermost(x, w);
    if (r1 == HD_NO_INDEX || section == HD_NO_INDEX || x->item[r1].index < x->item[section].index)
        return r1;
    uint32_t earlier = neighbour(x, &x->reads, cell, section, false);
    return earlier == HD_NO_INDEX ? r1 : earlier;
}

/* The read that w's update started from, if r belongs to an update too and would start from the same value. */
static uint32_t lost_update(const struct hd_index *x, uint32_t cell, const struct hd_candidate *q)
{
    if (q->w == HD_NO_INDEX || x->item[q->w].thread == x->item[q->r].thread)
        return HD_NO_INDEX;
    uint32_t r1 = x->item[q->w].reads ? HD_NO_INDEX : read_before_update(x, cell, q->w);
    if (r1 == HD_NO_INDEX || (!x->item[q->r].writes && neighbour(x, &x->writes, cell, q->r, true) == HD_NO_INDEX))
        return HD_NO_INDEX;
    if (writer_of(x, r1, cell) == q->c)
        return r1;
    uint32_t sees = q->c == HD_NO_INDEX ? x->cell[cell].initial : x->token[hd_write_slot(x, q->c, cell)];
    return sees == x->token[hd_read_slot(x, r1, cell)] ? r1 : HD_NO_INDEX;
}

static void label(const struct hd_index *x, uint32_t cell, struct hd_candidate *q)
{
    uint32_t before = neighbour(x, &x->reads, cell, q->r, false);
    q->kind = "atomicity";
    q->preposition = "of";
    q->before_w = lost_update(x, cell, q);
    if (q->before_w != HD_NO_INDEX) {
        q->pattern = "lost update";
        q->preposition = "on";
    } else if (q->w != HD_NO_INDEX && x->item[q->w].thread == x->item[q->r].thread) {
        q->pattern = "overwritten value";
    } else if (before != HD_NO_INDEX && writer_of(x, before, cell) == q->w) {
        q->pattern = "unrepeatable read";
    } else {
        q->kind = "nondet";
        bool stale = q->c == HD_NO_INDEX || (q->w != HD_NO_INDEX && q->c < q->w);
        q->pattern = stale ? "stale read" : "order-dependent read";
    }
    q->column = q->c == HD_NO_INDEX ? "initial" : q->kind;
}

uint32_t hd_looked_before(const struct hd_index *x, const struct hd_candidate *q)
{
    if (q->requests || q->w == HD_NO_INDEX || x->item[q->w].thread == x->item[q->r].thread)
        return HD_NO_INDEX;
    const struct hd_item *w = &x->item[hd_outermost(x, q->w)];
    for (uint32_t n = w->index; n-- > 0;)
        if (x->item[hd_item_at(x, w->thread, n)].reads)
            return hd_item_at(x, w->thread, w->index - 1);
    return HD_NO_INDEX;
}

static void candidate(struct hd_worker *w, uint32_t r, uint32_t c)
{
    const struct hd_index *x = w->index;
    uint32_t cell = main_cell(x, r, c);
    if (cell == HD_NO_INDEX)
        return;
    struct hd_candidate q = {.r = r, .w = writer_of(x, r, cell), .c = c};
    label(x, cell, &q);
    if (any_differs(x, r, c))
        hd_worker_ask(w, &q);
    else
        hd_worker_reject(w, &q, "same-value");
}

static void reject(struct hd_worker *w, uint32_t r, uint32_t c, uint32_t cell)
{
    struct hd_candidate q = {.r = r, .w = writer_of(w->index, r, cell), .c = c};
    label(w->index, cell, &q);
    hd_worker_reject(w, &q, "stage0");
}

/* Writes of the track that the interval leaves out: counted, named only for the account. */
static void leave_out(struct hd_worker *w, uint32_t r, uint32_t cell, const struct hd_track *t, uint32_t from,
                      uint32_t to)
{
    const struct hd_index *x = w->index;
    uint32_t writer = writer_of(x, r, cell);
    bool mine = writer != HD_NO_INDEX && x->item[writer].thread == t->thread;
    if (!w->account) {
        uint64_t count = to - from;
        for (uint32_t n = from; mine && n < to; n++)
            if (x->writes.at[n] == x->item[writer].index) {
                count--;
                break;
            }
        hd_worker_reject_many(w, count);
        return;
    }
    for (uint32_t n = from; n < to; n++) {
        uint32_t c = hd_item_at(x, t->thread, x->writes.at[n]);
        if (c != writer)
            reject(w, r, c, cell);
    }
}

static void read_one_cell(struct hd_worker *w, uint32_t r)
{
    const struct hd_index *x = w->index;
    uint32_t cell = x->item[r].cell;
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t low, high;
        if (t->thread == x->item[r].thread)
            continue;
        hd_feas_interval(w->solver, r, cell, t->thread, &low, &high);
        uint32_t from = t->from + hd_track_count(&x->writes, t, low);
        uint32_t to = t->from + hd_track_count(&x->writes, t, high);
        to = to < from ? from : to;
        leave_out(w, r, cell, t, t->from, from);
        for (uint32_t k = from; k < to; k++)
            candidate(w, r, hd_item_at(x, t->thread, x->writes.at[k]));
        leave_out(w, r, cell, t, to, t->to);
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static void read_many_cells(struct hd_worker *w, uint32_t r)
{
    const struct hd_index *x = w->index;
    uint32_t *list = NULL;
    size_t count = 0, room = 0;
    for (uint32_t k = 0; k < x->item[r].cells; k++) {
        const struct hd_cell *cell = &x->cell[x->item[r].cell + k];
        for (uint32_t a = cell->access; a < cell->access + cell->accesses; a++) {
            const struct hd_item *it = &x->item[x->access[a]];
            if (!it->writes || it->thread == x->item[r].thread)
                continue;
            HD_GROW(list, count, room);
            list[count++] = x->access[a];
        }
    }
    if (count)
        qsort(list, count, sizeof *list, compare);
    for (size_t i = 0; i < count; i++)
        if (!i || list[i] != list[i - 1])
            candidate(w, r, list[i]);
    free(list);
}

enum { ITEMS_A_UNIT = 512 };

static size_t units(const struct hd_index *x)
{
    return ((size_t)x->items + ITEMS_A_UNIT - 1) / ITEMS_A_UNIT;
}

static void unit(struct hd_worker *w, size_t n)
{
    const struct hd_index *x = w->index;
    for (size_t r = n * ITEMS_A_UNIT; r < x->items && r < (n + 1) * ITEMS_A_UNIT; r++) {
        if (!x->item[r].reads)
            continue;
        if (x->item[r].cells == 1)
            read_one_cell(w, (uint32_t)r);
        else
            read_many_cells(w, (uint32_t)r);
        if (x->trace->has_values)
            candidate(w, (uint32_t)r, HD_NO_INDEX);
    }
}

const struct hd_kind_of_finding hd_nondet = {HD_KINDS_NONDET, "nondet", units, unit};
