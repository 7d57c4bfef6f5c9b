// SPDX-License-Identifier: Apache-2.0
// What depends on whether somebody else is inside: a try that succeeded and may fail,
// a fork while another thread holds a lock. Can the event be next while another
// thread is between its acquire and its release?
//
// Tries and sections of one place are alike: a few of them stand for all.
#include "analyze/run.h"

enum { A_FEW = 8 };

/* What ends the stay that begins with item i; HD_NO_INDEX: nothing in this run. */
static uint32_t end_of(const struct hd_index *x, uint32_t i)
{
    const struct hd_item *it = &x->item[i];
    if (it->class == HD_TAKE)
        return it->partner;
    for (uint32_t n = x->posts.first[it->object]; n < x->posts.first[it->object + 1]; n++) {
        const struct hd_track *t = &x->posts.track[n];
        uint32_t done = hd_track_count(&x->posts, t, it->index);
        if (t->thread == it->thread && done < t->to - t->from)
            return hd_item_at(x, t->thread, x->posts.at[t->from + done]);
    }
    return HD_NO_INDEX;
}

static void ask(struct hd_worker *w, uint32_t event, uint32_t begin, const char *pattern)
{
    struct hd_candidate q = {.column = "contended", .kind = "contended", .pattern = pattern, .preposition = "of",
                             .r = HD_NO_INDEX, .w = end_of(w->index, begin), .c = begin, .before_w = HD_NO_INDEX,
                             .request = &event, .requests = 1};
    hd_worker_ask(w, &q);
}

/* The stays of other threads at that object. */
static void ask_all(struct hd_worker *w, uint32_t event, uint32_t object, const struct hd_tracks *s, const char *pattern)
{
    const struct hd_index *x = w->index;
    for (uint32_t n = s->first[object]; n < s->first[object + 1]; n++) {
        const struct hd_track *t = &s->track[n];
        for (uint32_t k = t->from; k < t->to && k < t->from + A_FEW && t->thread != x->item[event].thread; k++) {
            uint32_t begin = hd_item_at(x, t->thread, s->at[k]);
            if (x->item[begin].class != HD_TAKE || hd_excludes(x->item[begin].shared, x->item[event].shared))
                ask(w, event, begin, pattern);
        }
    }
}

static size_t units(const struct hd_index *x)
{
    return x->items ? 1 : 0;
}

static bool is_try(const struct hd_trace *t, uint32_t position)
{
    return position + 1u < t->events && t->event[position + 1].kind == HD_TRIED &&
           t->event[position + 1].thread == t->event[position].thread;
}

static void unit(struct hd_worker *w, size_t unit)
{
    const struct hd_index *x = w->index;
    (void)unit;
    for (uint32_t t = 0; t < x->threads; t++)
        for (uint32_t n = 0, few = 0; n < x->thread[t].count && few < A_FEW; n++) {
            uint32_t i = hd_item_at(x, t, n);
            bool forks = w->trace->event[x->item[i].position].kind == HD_FORK;
            if (!forks && !is_try(w->trace, x->item[i].position))
                continue;
            few++;
            if (!forks && x->item[i].class == HD_PASSES)
                ask_all(w, i, x->item[i].object, &x->passes, "failed try");
            else if (!forks && x->item[i].class == HD_TAKE)
                ask_all(w, i, x->item[i].object, &x->takes, "failed try");
            for (uint32_t o = 0; forks && o < x->objects; o++)
                ask_all(w, i, o, &x->takes, "fork under");
        }
}

const struct hd_kind_of_finding hd_contended = {HD_KINDS_NONDET, "contended", units, unit};
