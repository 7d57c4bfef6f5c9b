// SPDX-License-Identifier: Apache-2.0
// Alternatives of alternatives: which ones are the same, and how two are had at once.
#include <stdlib.h>
#include <string.h>

#include "analyze/run.h"
#include "proto/memory.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *s)
{
    while (s && *s)
        h = mix(h, (unsigned char)*s++);
    return h;
}

static uint64_t identity(const struct hd_trace *t, const struct hd_index *x, uint32_t item)
{
    if (item == HD_NO_INDEX)
        return 1;
    const struct hd_event *e = &t->event[x->item[item].position];
    return mix(mix(mix_text(2, t->thread[e->thread].path), e->n), hd_kind_is_sync(e->kind) ? 0 : e->k + 1);
}

/* Wherever one begins to look, a cycle is the same. */
uint64_t hd_candidate_key(const struct hd_trace *t, const struct hd_index *x, const struct hd_candidate *q)
{
    uint64_t sum = 0;
    if (!q->requests)
        return mix(mix(3, identity(t, x, q->r)), identity(t, x, q->c));
    for (uint32_t i = 0; i < q->requests; i++)
        sum += mix(5, identity(t, x, q->request[i]));
    return mix(mix_text(sum, q->kind), identity(t, x, q->c));
}

static bool has(const struct hd_answer *a, uint64_t position)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->order[i] == position)
            return true;
    return false;
}

static bool is_undone(const struct hd_run *run, const struct hd_candidate *q, uint64_t last)
{
    const struct hd_item *item = run->index->item;
    for (uint32_t i = 0; i < q->requests; i++)
        if (item[q->request[i]].position <= last)
            return false;
    return q->requests || item[q->r].position > last;
}

/* r, which is last in the order, sees c. */
static bool sees_challenger(const struct hd_run *run, const struct hd_candidate *q, const struct hd_answer *a)
{
    const struct hd_index *x = run->index;
    for (uint32_t k = 0; !q->requests && k < x->item[q->r].cells; k++) {
        uint32_t cell = x->item[q->r].cell + k, writer = HD_NO_INDEX;
        for (size_t i = 0; i + 1 < a->count; i++) {
            uint32_t item = hd_index_from(x, a->order[i]);
            if (x->item[item].writes && hd_touches(x, item, cell))
                writer = item;
        }
        if (writer != q->c && (q->c == HD_NO_INDEX || hd_touches(x, q->c, cell)))
            return false;
    }
    return true;
}

static bool stay_until(struct hd_run *run, const struct hd_candidate *q, struct hd_answer *a, uint64_t last)
{
    const struct hd_index *x = run->index;
    if (!is_undone(run, q, last))
        return false;
    struct hd_answer both = {.order = hd_alloc((x->items + a->count + 1) * sizeof *both.order)};
    for (uint32_t i = 0; i < x->items && x->item[i].position <= last; i++)
        both.order[both.count++] = x->item[i].position;
    for (size_t i = 0; i < a->count; i++)
        if (a->order[i] > last)
            both.order[both.count++] = a->order[i];
    uint64_t freed = q->requests ? UINT64_MAX : x->item[q->r].position;
    if (!sees_challenger(run, q, &both) || hd_checker_run(run->checker, both.order, both.count, freed)) {
        free(both.order);
        return false;
    }
    free(a->order);
    a->order = both.order;
    a->count = both.count;
    return true;
}

/* Where the thread that stands at `position` has let go of its locks: others need them. */
static uint64_t without_locks(const struct hd_index *x, uint64_t position)
{
    uint32_t item = hd_index_from(x, position);
    const struct hd_list *mine = &x->thread[x->item[item].thread];
    uint64_t last = position;
    for (uint32_t i = x->item[item].index + 1; i < mine->count; i++) {
        if (x->item[mine->item[i]].held == HD_NO_INDEX)
            break;
        last = x->item[mine->item[i]].position;
    }
    return last;
}

static bool stay_with(struct hd_run *run, const struct hd_candidate *q, struct hd_answer *a, uint64_t position)
{
    uint64_t released = without_locks(run->index, position);
    return has(a, position) || stay_until(run, q, a, position) ||
           (released != position && stay_until(run, q, a, released));
}

uint64_t hd_stay(struct hd_run *run, const struct hd_candidate *q, struct hd_answer *a)
{
    const struct hd_analyze_options *o = run->options;
    uint64_t kept = 0;
    for (size_t i = o->keeps; i-- > 0;)
        if (stay_with(run, q, a, o->keep[i]))
            break;
    for (size_t i = 0; i < o->keeps && i < 64; i++)
        kept |= (uint64_t)has(a, o->keep[i]) << i;
    return kept;
}
