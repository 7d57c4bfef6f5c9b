// SPDX-License-Identifier: Apache-2.0
#include "analyze/feas.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "proto/memory.h"

bool hd_feas_differs(const struct hd_index *x, uint32_t r, uint32_t c, uint32_t cell)
{
    uint32_t slot = hd_read_slot(x, r, cell);
    if (c == HD_NO_INDEX)
        return x->same_value ? x->writer[slot] != HD_NO_INDEX : x->cell[cell].initial != x->token[slot];
    if (!hd_touches(x, c, cell))
        return false;
    return x->same_value ? x->writer[slot] != c : x->token[hd_write_slot(x, c, cell)] != x->token[slot];
}

bool hd_feas_blocks(const struct hd_index *x, uint32_t holder, uint32_t request)
{
    uint32_t node = hd_index_find_held(x, x->item[holder].held, x->item[request].object);
    return node != HD_NO_INDEX && hd_excludes(x->held[node].shared, x->item[request].shared);
}

/* Raises m to what item i has before it, i included. */
static bool raise_to(const struct hd_index *x, uint32_t *m, uint32_t i)
{
    const struct hd_clocks *must = hd_must(x);
    bool changed = false;
    if (m[x->item[i].thread] > x->item[i].index)
        return false;
    for (uint32_t u = 0; u < x->threads; u++) {
        uint32_t c = hd_clock(x, must, i, u);
        if (c > m[u]) {
            m[u] = c;
            changed = true;
        }
    }
    return changed;
}

/* Sections of a lock held at the frontier of `thread` have ended elsewhere. False: one cannot. */
static bool close_for(const struct hd_index *x, const struct hd_cone *cone, uint32_t thread, const struct hd_held *h,
                      bool *changed)
{
    for (uint32_t n = x->takes.first[h->lock]; n < x->takes.first[h->lock + 1]; n++) {
        const struct hd_track *t = &x->takes.track[n];
        uint32_t count = t->thread == thread ? 0 : hd_track_count(&x->takes, t, cone->must[t->thread]);
        for (; count; count--) {
            const struct hd_item *take = &x->item[hd_item_at(x, t->thread, x->takes.at[t->from + count - 1])];
            if (!hd_excludes(take->shared, h->shared))
                continue;
            if (take->partner == HD_NO_INDEX)
                return false;
            *changed |= raise_to(x, cone->must, take->partner);
            break;
        }
    }
    return true;
}

static bool overshoots(const struct hd_index *x, const struct hd_cone *cone)
{
    for (uint32_t u = 0; u < x->threads; u++)
        if (cone->must[u] > cone->cap[u])
            return true;
    return false;
}

static bool must_fixpoint(const struct hd_index *x, const struct hd_cone *cone)
{
    bool changed = true;
    while (changed) {
        changed = false;
        if (overshoots(x, cone))
            return false;
        for (uint32_t t = 0; t < x->threads; t++) {
            if (cone->frontier[t] == HD_NO_INDEX)
                continue;
            for (uint32_t h = hd_index_held(x, t, cone->frontier[t]); h != HD_NO_INDEX; h = x->held[h].below)
                if (!close_for(x, cone, t, &x->held[h], &changed))
                    return false;
        }
    }
    return true;
}

/* Can the challenger be the last write of this cell, given what must be there? */
static bool cell_open(const struct hd_index *x, const struct hd_query *q, const uint32_t *must, uint32_t cell)
{
    if (!hd_feas_differs(x, q->freed, q->challenger, cell))
        return false;
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t count = hd_track_count(&x->writes, t, must[t->thread]);
        if (!count)
            continue;
        uint32_t z = hd_item_at(x, t->thread, x->writes.at[t->from + count - 1]);
        if (q->challenger == HD_NO_INDEX)
            return false;
        const struct hd_item *c = &x->item[q->challenger];
        if (z != q->challenger && hd_clock(x, hd_must(x), z, c->thread) > c->index)
            return false;
    }
    return true;
}

static bool raise_goal(const struct hd_index *x, const struct hd_query *q, const struct hd_cone *cone)
{
    for (uint32_t f = 0; f < q->frontiers; f++) {
        const struct hd_item *it = &x->item[q->frontier[f]];
        if (cone->frontier[it->thread] != HD_NO_INDEX)
            return false;
        cone->frontier[it->thread] = cone->cap[it->thread] = it->index;
        if (it->index)
            raise_to(x, cone->must, hd_item_at(x, it->thread, it->index - 1));
        for (uint32_t n = it->need; n < hd_frontier_needs(x, it); n++)
            raise_to(x, cone->must, x->need[n]);
    }
    for (uint32_t f = 0; q->ring && f < q->frontiers; f++)
        if (!hd_feas_blocks(x, q->frontier[(f + 1) % q->frontiers], q->frontier[f]))
            return false;
    if (q->challenger != HD_NO_INDEX)
        raise_to(x, cone->must, q->challenger);
    if (q->include != HD_NO_INDEX)
        raise_to(x, cone->must, q->include);
    for (uint32_t i = 0; i < q->alsos; i++)
        raise_to(x, cone->must, q->also[i]);
    if (q->exclude != HD_NO_INDEX && x->item[q->exclude].index < cone->cap[x->item[q->exclude].thread])
        cone->cap[x->item[q->exclude].thread] = x->item[q->exclude].index;
    return true;
}

static bool closure(const struct hd_index *x, const struct hd_query *q, const struct hd_cone *cone)
{
    if (!raise_goal(x, q, cone) || !must_fixpoint(x, cone))
        return false;
    if (q->freed == HD_NO_INDEX)
        return true;
    const struct hd_item *r = &x->item[q->freed];
    for (uint32_t k = 0; k < r->cells; k++)
        if (cell_open(x, q, cone->must, r->cell + k))
            return true;
    return false;
}

static void extend(const struct hd_cone *cone, const struct hd_item *it)
{
    uint32_t to = it->index + 1;
    if (to > cone->cap[it->thread])
        to = cone->cap[it->thread];
    if (to > cone->limit[it->thread])
        cone->limit[it->thread] = to;
}

static void extend_tracks(const struct hd_index *x, const struct hd_cone *cone, const struct hd_tracks *s,
                          const struct hd_item *it)
{
    for (uint32_t n = s->first[it->object]; n < s->first[it->object + 1]; n++)
        if (s->track[n].thread != it->thread)
            extend(cone, &x->item[hd_item_at(x, s->track[n].thread, s->at[s->track[n].to - 1])]);
}

static void extend_sources(const struct hd_index *x, const struct hd_cone *cone, uint32_t read, uint32_t cell)
{
    uint32_t slot = hd_read_slot(x, read, cell), token = x->token[slot];
    if (!x->by_value) {
        if (x->writer[slot] != HD_NO_INDEX)
            extend(cone, &x->item[x->writer[slot]]);
        return;
    }
    for (uint32_t n = x->token_first[token]; n < x->token_first[token + 1]; n++)
        extend(cone, &x->item[x->token_write[n]]);
}

static void extend_item(const struct hd_index *x, const struct hd_cone *cone, uint32_t i)
{
    const struct hd_item *it = &x->item[i];
    for (uint32_t n = it->need; n < it[1].need; n++)
        extend(cone, &x->item[x->need[n]]);
    for (uint32_t c = it->cell; it->reads && c < it->cell + it->cells; c++)
        extend_sources(x, cone, i, c);
    switch (it->class) {
    case HD_REFUSED: extend_tracks(x, cone, &x->takes, it); break;
    case HD_PASSES: extend_tracks(x, cone, &x->posts, it); break;
    case HD_EMPTY: extend_tracks(x, cone, &x->passes, it); break;
    case HD_WOKEN:
        if (!it->all)
            extend_tracks(x, cone, &x->signals, it);
        break;
    default: break;
    }
}

/* An acquire of another thread may need the sections that are open at the limit to end. */
static void extend_open(const struct hd_index *x, const struct hd_cone *cone, uint32_t thread)
{
    for (uint32_t h = hd_index_held(x, thread, cone->limit[thread]); h != HD_NO_INDEX; h = x->held[h].below) {
        uint32_t lock = x->held[h].lock, end = x->item[x->held[h].take].partner;
        for (uint32_t n = x->takes.first[lock]; end != HD_NO_INDEX && n < x->takes.first[lock + 1]; n++) {
            const struct hd_track *t = &x->takes.track[n];
            if (t->thread != thread && x->takes.at[t->from] < cone->limit[t->thread])
                extend(cone, &x->item[end]);
        }
    }
}

/* Limits such that any witness, restricted to them, is a witness. */
static void compute_limits(const struct hd_index *x, const struct hd_query *q, const struct hd_cone *cone)
{
    uint32_t *done = hd_alloc(((size_t)x->threads + 1) * sizeof *done);
    bool changed = true;
    memcpy(cone->limit, cone->must, x->threads * sizeof *cone->limit);
    for (uint32_t f = 0; q->stuck && f < q->frontiers; f++) {
        const struct hd_item *it = &x->item[q->frontier[f]];
        if (it->class == HD_PASSES) /* others may use up what it waits for */
            extend_tracks(x, cone, &x->passes, it);
        else if (it->class == HD_WOKEN) {
            extend_tracks(x, cone, &x->waits, it);
            extend_tracks(x, cone, &x->wakes, it);
        }
    }
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < x->threads; t++) {
            extend_open(x, cone, t);
            for (; done[t] < cone->limit[t]; done[t]++) {
                extend_item(x, cone, hd_item_at(x, t, done[t]));
                changed = true;
            }
        }
    }
    free(done);
}

struct hd_solver {
    const struct hd_index *x;
    struct hd_engine *engine, *keeper; /* by writer; by what reads are to keep */
    struct hd_checker *checker; /* confirms a yes where the engine does not know all of the rules */
    struct hd_cone cone;
};

struct hd_solver *hd_solver_new(const struct hd_index *x)
{
    struct hd_solver *s = hd_alloc(sizeof *s);
    size_t bytes = ((size_t)x->threads + 1) * sizeof(uint32_t);
    s->x = x;
    s->engine = hd_engine_new(x, false);
    s->keeper = hd_engine_new(x, x->by_value);
    s->cone = (struct hd_cone){hd_alloc(bytes), hd_alloc(bytes), hd_alloc(bytes), hd_alloc(bytes)};
    return s;
}

void hd_solver_free(struct hd_solver *s)
{
    if (!s)
        return;
    hd_engine_free(s->engine);
    hd_engine_free(s->keeper);
    hd_checker_free(s->checker);
    free(s->cone.limit);
    free(s->cone.must);
    free(s->cone.frontier);
    free(s->cone.cap);
    free(s);
}

void hd_feas_forget(struct hd_solver *s)
{
    hd_engine_forget(s->engine);
    hd_engine_forget(s->keeper);
}

void hd_feas_plainly(struct hd_solver *s)
{
    hd_feas_forget(s);
    s->engine->plain = s->keeper->plain = true;
}

void hd_feas_interval(struct hd_solver *s, uint32_t r, uint32_t cell, uint32_t thread, uint32_t *low, uint32_t *high)
{
    hd_engine_interval(s->keeper, r, cell, thread, low, high);
}

static bool make_cone(struct hd_solver *s, const struct hd_query *q)
{
    size_t bytes = s->x->threads * sizeof(uint32_t);
    memset(s->cone.must, 0, bytes);
    memset(s->cone.frontier, 0xff, bytes);
    memset(s->cone.cap, 0xff, bytes);
    return closure(s->x, q, &s->cone);
}

static enum hd_engine_answer confirm(struct hd_solver *s, const struct hd_engine *e, const struct hd_query *q)
{
    struct hd_answer a = {0};
    if (!s->x->intricate && !q->stuck)
        return HD_ENGINE_YES;
    if (!s->checker)
        s->checker = hd_checker_new(s->x->trace, !s->x->by_value);
    hd_engine_order(e, &a);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a query is about items, so there are some */
    uint64_t freed = q->freed == HD_NO_INDEX ? UINT64_MAX : s->x->item[q->freed].position;
    const char *wrong = hd_checker_run(s->checker, a.order, a.count, freed);
    free(a.order);
    if (!wrong && q->stuck) {
        uint64_t *position = hd_alloc(q->frontiers * sizeof *position);
        for (uint32_t f = 0; f < q->frontiers; f++)
            position[f] = s->x->item[q->frontier[f]].position;
        wrong = hd_checker_stuck(s->checker, position, q->frontiers) ? NULL : "not stuck";
        free(position);
    }
    return wrong ? HD_ENGINE_UNKNOWN : HD_ENGINE_YES;
}

/* Any cell of the freed read in which it would see something else will do. */
static enum hd_engine_answer ask_engine(struct hd_solver *s, struct hd_engine *e, const struct hd_query *q)
{
    enum hd_engine_answer all = HD_ENGINE_NO;
    const struct hd_item *r = q->freed == HD_NO_INDEX ? NULL : &s->x->item[q->freed];
    for (uint32_t k = 0; k < (r ? r->cells : 1); k++) {
        if (r && !hd_feas_differs(s->x, q->freed, q->challenger, r->cell + k))
            continue;
        enum hd_engine_answer one = hd_engine_ask(e, q, r ? r->cell + k : 0);
        if (one == HD_ENGINE_YES)
            one = confirm(s, e, q);
        if (one == HD_ENGINE_YES)
            return one;
        all = one == HD_ENGINE_UNKNOWN ? one : all;
    }
    return all;
}

static void polish(struct hd_solver *s, const struct hd_query *q, struct hd_answer *answer)
{
    if (!make_cone(s, q))
        return;
    compute_limits(s->x, q, &s->cone);
    hd_search_polish(s->x, q, &s->cone, answer);
}

/* To begin a search is to look at every item of its cone. */
static bool affordable(const struct hd_solver *s, const struct hd_query *q)
{
    uint64_t items = 0;
    for (uint32_t t = 0; t < s->x->threads; t++)
        items += s->cone.must[t];
    return q->budget || !q->words || items <= q->words;
}

/* What no engine can tell is searched, state by state. */
static void search(struct hd_solver *s, const struct hd_query *q, enum hd_wanted wanted, struct hd_answer *answer)
{
    if (!make_cone(s, q)) {
        answer->stage = "stage0";
        return;
    }
    if (!affordable(s, q)) {
        *answer = (struct hd_answer){.decision = HD_OPEN, .stage = "budget"};
        return;
    }
    compute_limits(s->x, q, &s->cone);
    answer->stage = "search";
    hd_search(s->x, q, &s->cone, wanted != HD_VERDICT, answer);
    if (answer->decision == HD_OPEN)
        answer->stage = "budget";
}

void hd_feas(struct hd_solver *s, const struct hd_query *q, enum hd_wanted wanted, struct hd_answer *answer)
{
    struct hd_engine *engine = s->engine;
    uint64_t effort = 0;
    *answer = (struct hd_answer){.decision = HD_IMPOSSIBLE, .stage = "stage0"};
    if (s->x->by_value && !make_cone(s, q))
        return;
    enum hd_engine_answer said = ask_engine(s, engine, q);
    if (said != HD_ENGINE_YES && s->x->by_value && affordable(s, q)) {
        engine = s->keeper;
        said = ask_engine(s, engine, q);
        effort = engine->effort;
    } else if (said == HD_ENGINE_NO && s->x->by_value)
        said = HD_ENGINE_UNKNOWN;
    answer->stage = engine->stage;
    if (said == HD_ENGINE_YES) {
        answer->decision = HD_WITNESS;
        if (wanted != HD_VERDICT)
            hd_engine_order(engine, answer);
    } else if (said == HD_ENGINE_UNKNOWN)
        search(s, q, wanted, answer);
    answer->words += effort;
    if (wanted == HD_SHORT_ORDER && answer->decision == HD_WITNESS)
        polish(s, q, answer);
}
