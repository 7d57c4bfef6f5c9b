// SPDX-License-Identifier: Apache-2.0
// Data races: two conflicting accesses, not both atomic, that can both be next.
#include <stdlib.h>

#include "analyze/run.h"
#include "proto/memory.h"

enum { ITEMS_A_UNIT = 256 };

static bool atomic(const struct hd_worker *w, uint32_t item)
{
    return hd_kind_is_atomic(w->trace->event[w->index->item[item].position].kind);
}

static void ask(struct hd_worker *w, uint32_t a, uint32_t b, bool reject)
{
    uint32_t pair[2] = {a, b};
    struct hd_candidate q = {.column = "race", .kind = "race", .pattern = "data race", .preposition = "on",
                             .r = HD_NO_INDEX, .w = HD_NO_INDEX, .c = HD_NO_INDEX, .before_w = HD_NO_INDEX,
                             .request = pair, .requests = 2};
    if (reject)
        hd_worker_reject(w, &q, "stage0");
    else
        hd_worker_ask(w, &q);
}

/* The cell that both touch first: a pair is listed once. */
static bool first_common(const struct hd_index *x, uint32_t a, uint32_t b, uint32_t cell)
{
    uint32_t low = x->item[a].cell > x->item[b].cell ? x->item[a].cell : x->item[b].cell;
    return low == cell;
}

/* Accesses of the track, later in the trace than a; what comes before b needs a: they cannot both be next. */
static void with_track(struct hd_worker *w, uint32_t a, uint32_t cell, const struct hd_tracks *s,
                       const struct hd_track *t)
{
    const struct hd_index *x = w->index;
    const struct hd_item *ia = &x->item[a];
    for (uint32_t n = t->from; n < t->to; n++) {
        uint32_t b = hd_item_at(x, t->thread, s->at[n]);
        if (b < a || (!ia->writes && !x->item[b].writes) || !first_common(x, a, b, cell) ||
            (s == &x->reads && x->item[b].writes) || (atomic(w, a) && atomic(w, b)))
            continue;
        uint32_t before = x->item[b].index ? hd_item_at(x, t->thread, x->item[b].index - 1) : b;
        ask(w, a, b, before != b && hd_clock(x, hd_must(x), before, ia->thread) > ia->index);
    }
}

static size_t units(const struct hd_index *x)
{
    return ((size_t)x->items + ITEMS_A_UNIT - 1) / ITEMS_A_UNIT;
}

static void unit(struct hd_worker *w, size_t n)
{
    const struct hd_index *x = w->index;
    for (size_t a = n * ITEMS_A_UNIT; a < x->items && a < (n + 1) * ITEMS_A_UNIT; a++) {
        const struct hd_item *it = &x->item[a];
        for (uint32_t cell = it->cell; it->class == HD_ACCESS && cell < it->cell + it->cells; cell++) {
            for (uint32_t k = x->writes.first[cell]; k < x->writes.first[cell + 1]; k++)
                if (x->writes.track[k].thread != it->thread)
                    with_track(w, (uint32_t)a, cell, &x->writes, &x->writes.track[k]);
            for (uint32_t k = x->reads.first[cell]; it->writes && k < x->reads.first[cell + 1]; k++)
                if (x->reads.track[k].thread != it->thread)
                    with_track(w, (uint32_t)a, cell, &x->reads, &x->reads.track[k]);
        }
    }
}

const struct hd_kind_of_finding hd_race = {HD_KINDS_RACE, "race", units, unit};
