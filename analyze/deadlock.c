// SPDX-License-Identifier: Apache-2.0
// Deadlocks: cycles of requests (analyze/requests.h), each thread once, and acquires
// of a lock whose holder has ended. Gate locks and the order of create and join are
// FEAS's business.
//
// A cycle of classes is a pattern. A pattern with few members is asked about member
// by member; one with many is one candidate, a witness if any of the first members
// is. What a limit leaves out is open: a candidate for each class it cut short.
#include <stdlib.h>

#include "analyze/requests.h"
#include "analyze/run.h"
#include "proto/memory.h"

enum { FEW = 256, MANY = 1024, STEPS = 20000000 };

struct graph {
    struct hd_worker *w;
    struct hd_requests r;
    uint32_t *member, members; /* of the chain: classes */
    uint32_t *request;         /* of the tuple */
    bool *on;                  /* per thread: in the chain */
    bool *cut;                 /* per class: cycles that begin there were left out */
    uint64_t steps;
};

/* What else than locks is in the cycle; of several, the one that is told first here. */
static const char *pattern_of(const struct hd_index *x, const uint32_t *request, uint32_t count)
{
    bool condition = false, semaphore = false, once = false, join = false, behind = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct hd_item *it = &x->item[request[i]];
        condition |= it->class == HD_WOKEN;
        semaphore |= it->class == HD_PASSES;
        once |= hd_request_passes_once(x, it);
        join |= hd_request_joins(x, it);
        behind |= hd_request_is_behind(x, it, &x->item[request[(i + 1) % count]]);
    }
    return condition   ? "deadlock with a condition"
           : semaphore ? "deadlock with a semaphore"
           : once      ? "deadlock with a once"
           : join      ? "deadlock with a join"
           : behind    ? "deadlock behind a waiting writer"
                       : "deadlock";
}

static bool acquires(const struct graph *g, const struct hd_item *it)
{
    return it->class == HD_TAKE || hd_request_gives_way(g->w->index, it);
}

/* Begins with its first item in the trace. Of a lock and a join alone, the lock is first. */
static struct hd_candidate candidate_of(struct graph *g, const uint32_t *tuple)
{
    const struct hd_index *x = g->w->index;
    uint32_t first = 0;
    for (uint32_t i = 1; i < g->members; i++)
        first = tuple[i] < tuple[first] ? i : first;
    if (g->members == 2 && acquires(g, &x->item[tuple[0]]) != acquires(g, &x->item[tuple[1]]))
        first = !acquires(g, &x->item[tuple[0]]);
    for (uint32_t i = 0; i < g->members; i++)
        g->request[i] = tuple[(first + i) % g->members];
    const char *pattern = pattern_of(x, g->request, g->members);
    return (struct hd_candidate){.column = "deadlock", .kind = "deadlock", .pattern = pattern,
                                 .r = HD_NO_INDEX, .w = HD_NO_INDEX, .c = HD_NO_INDEX, .before_w = HD_NO_INDEX,
                                 .request = g->request, .requests = g->members, .stuck = pattern[8] != 0};
}

/* The n-th tuple of the pattern: the last member changes first. */
static void nth_tuple(const struct graph *g, uint64_t n, uint32_t *tuple)
{
    for (uint32_t i = g->members; i-- > 0;) {
        const struct hd_alike *a = &g->r.alike[g->member[i]];
        tuple[i] = a->item[n % a->count];
        n /= a->count;
    }
}

static void ask_pattern(struct graph *g)
{
    uint64_t tuples = 1;
    uint32_t tuple[g->members];
    for (uint32_t i = 0; i < g->members && tuples <= UINT32_MAX; i++)
        tuples *= g->r.alike[g->member[i]].count;
    for (uint64_t n = 0; tuples <= FEW && n < tuples; n++) {
        nth_tuple(g, n, tuple);
        struct hd_candidate q = candidate_of(g, tuple);
        hd_worker_ask(g->w, &q);
    }
    bool undecided = tuples > MANY;
    for (uint64_t n = 0; tuples > FEW && n < tuples && n < MANY; n++) {
        nth_tuple(g, n, tuple);
        struct hd_candidate q = candidate_of(g, tuple);
        enum hd_decision d = hd_worker_try(g->w, &q);
        undecided |= d == HD_OPEN;
        if (d == HD_WITNESS) {
            hd_worker_accept(g->w, &q, "pattern");
            return;
        }
    }
    if (tuples > FEW) {
        nth_tuple(g, 0, tuple);
        struct hd_candidate q = candidate_of(g, tuple);
        (undecided ? hd_worker_leave_open : hd_worker_reject)(g->w, &q, "pattern");
    }
}

/* Two acquires of one lock are not both in a cycle: where one is blocked, so is a shorter one. Unless the
 * one waits behind the other: then they follow each other. The cycle may end with the class, if `closes`. */
static bool fits(const struct graph *g, uint32_t class, bool closes)
{
    const struct hd_index *x = g->w->index;
    const struct hd_item *it = hd_request_sample(&g->r, class);
    if (g->on[it->thread])
        return false;
    for (uint32_t i = 0; acquires(g, it) && i < g->members; i++) {
        const struct hd_item *m = hd_request_sample(&g->r, g->member[i]);
        bool follows = i + 1 == g->members && hd_request_is_behind(x, m, it);
        bool leads = i == 0 && closes && hd_request_is_behind(x, it, m);
        if (acquires(g, m) && m->object == it->object && !follows && !leads)
            return false;
    }
    return true;
}

static bool out_of_steps(const struct graph *g)
{
    return g->steps > STEPS || (g->w->options->stop && *g->w->options->stop);
}

/* Cycles start at their first class, so each is found once; short ones are found first. */
static void grow(struct graph *g, uint32_t length)
{
    const struct hd_list *next = &g->r.blockers[g->member[g->members - 1]];
    for (uint32_t n = 0; n < next->count; n++) {
        uint32_t class = next->item[n];
        if (g->members == length) {
            if (class == g->member[0])
                ask_pattern(g);
            continue;
        }
        if (class <= g->member[0] || !fits(g, class, g->members + 1 == length))
            continue;
        g->steps++;
        if (out_of_steps(g)) {
            g->cut[g->member[0]] = true;
            return;
        }
        uint32_t thread = hd_request_sample(&g->r, class)->thread;
        g->on[thread] = true;
        g->member[g->members++] = class;
        grow(g, length);
        g->members--;
        g->on[thread] = false;
    }
}

static void find_cycles(struct graph *g)
{
    uint32_t threads = g->w->index->threads;
    for (uint32_t length = 2; length <= threads; length++)
        for (uint32_t i = 0; i < g->r.alikes; i++) {
            uint32_t thread = hd_request_sample(&g->r, i)->thread;
            if (!g->r.blockers[i].count)
                continue;
            g->member[0] = i;
            g->members = 1;
            g->on[thread] = true;
            grow(g, length);
            g->on[thread] = false;
        }
    for (uint32_t i = 0; i < g->r.alikes; i++) {
        if (!g->cut[i] && !g->r.cut[i])
            continue;
        g->members = 1;
        struct hd_candidate q = candidate_of(g, g->r.alike[i].item);
        hd_worker_leave_open(g->w, &q, "budget");
    }
}

/* Acquires by others of a lock that a thread has kept to its end. */
static void ended(struct hd_worker *w, uint32_t end)
{
    const struct hd_index *x = w->index;
    for (uint32_t h = x->item[end].held; h != HD_NO_INDEX; h = x->held[h].below)
        for (uint32_t n = x->takes.first[x->held[h].lock]; n < x->takes.first[x->held[h].lock + 1]; n++) {
            const struct hd_track *t = &x->takes.track[n];
            for (uint32_t k = t->from; t->thread != x->item[end].thread && k < t->to; k++) {
                uint32_t take = hd_item_at(x, t->thread, x->takes.at[k]);
                struct hd_candidate q = {.column = "deadlock", .kind = "deadlock",
                                         .pattern = "deadlock with an ended thread", .r = HD_NO_INDEX,
                                         .w = HD_NO_INDEX, .c = end, .before_w = HD_NO_INDEX, .request = &take,
                                         .requests = 1, .stuck = true};
                if (hd_excludes(x->held[h].shared, x->item[take].shared))
                    hd_worker_ask(w, &q);
            }
        }
}

static size_t units(const struct hd_index *x)
{
    return x->items ? 1 : 0;
}

static void unit(struct hd_worker *w, size_t n)
{
    const struct hd_index *x = w->index;
    struct graph g = {.w = w};
    (void)n;
    hd_requests_make(&g.r, x);
    g.member = hd_alloc((x->threads + 1) * sizeof *g.member);
    g.request = hd_alloc((x->threads + 1) * sizeof *g.request);
    g.on = hd_alloc(x->threads + 1);
    g.cut = hd_alloc(g.r.alikes + 1);
    find_cycles(&g);
    for (uint32_t i = 0; i < x->items; i++)
        if (x->item[i].class == HD_ENDS && x->item[i].held != HD_NO_INDEX)
            ended(w, i);
    hd_requests_free(&g.r);
    free(g.member);
    free(g.request);
    free(g.on);
    free(g.cut);
}

const struct hd_kind_of_finding hd_deadlock = {HD_KINDS_DEADLOCK, "deadlock", units, unit};
