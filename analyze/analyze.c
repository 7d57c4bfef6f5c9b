// SPDX-License-Identifier: Apache-2.0
#include "analyze/analyze.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/run.h"
#include "analyze/suppression.h"
#include "analyze/witness.h"
#include "proto/memory.h"

static const struct hd_kind_of_finding *const kinds[] = {&hd_nondet, &hd_deadlock, &hd_memory,
                                                         &hd_wakeup, &hd_race,     &hd_misuse, &hd_contended};

enum { POLISHED = 100 }; /* so many witnesses are made short; nobody reads more */
enum { WRITTEN = 100 };  /* so many at least, whatever they cost */

static bool find_parked(struct hd_run *run, const struct hd_candidate *q, enum hd_wanted wanted,
                        struct hd_answer *answer)
{
    struct hd_query parked = hd_candidate_query(q, true);
    if (q->before_w == HD_NO_INDEX)
        return false;
    parked.budget = run->options->state_budget;
    hd_feas(run->solver, &parked, wanted, answer);
    if (answer->decision == HD_WITNESS)
        return true;
    free(answer->order);
    return false;
}

/* An update is lost only where its own read is behind it: w's thread stands between the two when r
 * is next. Where that cannot be, nothing is lost; w's thread then stands before the section that w is in,
 * with what it looked at before: check, then act. Where that cannot be either, the plain question decides. */
static void find_order(struct hd_run *run, struct hd_candidate *q, struct hd_answer *answer)
{
    enum hd_wanted wanted = run->analysis->witnesses < POLISHED ? HD_SHORT_ORDER : HD_ORDER;
    if (find_parked(run, q, wanted, answer))
        return;
    if (q->before_w != HD_NO_INDEX) {
        q->kind = "nondet";
        q->pattern = "stale read";
        q->preposition = "of";
    }
    q->before_w = hd_looked_before(run->index, q);
    if (find_parked(run, q, wanted, answer))
        return;
    struct hd_query query = hd_candidate_query(q, false);
    query.budget = run->options->state_budget;
    hd_feas(run->solver, &query, wanted, answer);
}

/* The recorded order up to the event: it is a run whatever the rules make of it. */
static void recorded_order(const struct hd_run *run, const struct hd_candidate *q, struct hd_answer *answer)
{
    size_t room = 0;
    free(answer->order);
    *answer = (struct hd_answer){.decision = HD_WITNESS, .stage = "recorded"};
    for (uint32_t i = 0; i < q->request[0]; i++) {
        HD_GROW(answer->order, answer->count, room);
        answer->order[answer->count++] = run->index->item[i].position;
    }
}

static void keep_witness(struct hd_run *run, struct hd_candidate *q)
{
    struct hd_analysis *a = run->analysis;
    struct hd_answer answer;
    if (!run->checker)
        run->checker = hd_checker_new(run->trace, run->options->strict_writers);
    find_order(run, q, &answer);
    if (q->recorded && answer.decision != HD_WITNESS)
        recorded_order(run, q, &answer);
    else if (!hd_candidate_check(q, run->index, run->checker, &answer, &a->contradiction)) {
        free(answer.order);
        return;
    }
    HD_GROW(a->kept, a->witnesses, run->kept_room);
    a->kept[a->witnesses] = hd_stay(run, q, &answer);
    HD_GROW(a->key, a->witnesses, run->key_room);
    a->key[a->witnesses] = hd_candidate_key(run->trace, run->index, q);
    struct hd_candidate own = *q;
    own.c = q->requests ? q->c : q->w;
    HD_GROW(a->own_key, a->witnesses, run->own_key_room);
    a->own_key[a->witnesses] = hd_candidate_key(run->trace, run->index, &own);
    HD_GROW(a->witness, a->witnesses, run->room);
    Heddle__Witness *w = hd_witness_new(run, q, &answer);
    a->witness[a->witnesses++] = w;
    w->number = (uint32_t)a->witnesses;
    free(answer.order);
}

static int compare(const void *a, const void *b)
{
    const struct hd_found *p = a, *q = b;
    return p->rank != q->rank ? (p->rank < q->rank ? -1 : 1) : p->order < q->order ? -1 : p->order > q->order;
}

static void merge(struct hd_run *run, struct hd_result *r)
{
    struct hd_analysis *a = run->analysis;
    a->candidates += r->candidates;
    a->impossible += r->impossible;
    a->open += r->open;
    a->feasible += r->feasible;
    a->expected += r->expected;
    a->repeated += r->repeated;
    if (!a->contradiction)
        a->contradiction = r->contradiction;
    else
        free(r->contradiction);
    if (run->options->account)
        fwrite(r->account, 1, r->account_size, run->options->account);
    for (size_t i = 0; i < r->open_keys; i++) {
        HD_GROW(a->open_key, a->open_keys, run->open_key_room);
        a->open_key[a->open_keys++] = r->open_key[i];
    }
    for (size_t i = 0; i < r->founds && !run->options->verdicts_only; i++) {
        if (!run->options->all && !hd_worker_new_key(&run->merged, r->found[i].key))
            continue;
        HD_GROW(run->found, run->founds, run->found_room);
        run->found[run->founds] = r->found[i];
        run->found[run->founds].order = run->founds;
        run->found[run->founds].rank = hd_rank(run, &r->found[i].candidate);
        run->founds++;
        r->found[i].candidate.request = NULL;
    }
}

/* Each costs about as much as the trace is long. */
static bool is_enough(const struct hd_run *run, size_t made)
{
    const struct hd_analyze_options *o = run->options;
    if (made && o->stop && *o->stop)
        return true;
    return o->effort && !o->all && made >= WRITTEN && (uint64_t)made * run->trace->events > o->effort;
}

struct hd_analysis *hd_analyze(const struct hd_trace *trace, struct hd_symbols *symbols,
                               const struct hd_analyze_options *options)
{
    struct hd_run run = {.trace = trace, .symbols = symbols, .options = options};
    run.analysis = hd_alloc(sizeof *run.analysis);
    run.index = hd_index_new(trace, options->strict_writers, options->same_value);
    run.solver = hd_solver_new(run.index);
    run.expected = hd_expected_new(trace);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (options->kinds & kinds[i]->bit)
            hd_workers_run(&run, kinds[i], merge);
    if (run.founds)
        qsort(run.found, run.founds, sizeof *run.found, compare);
    for (size_t i = 0; i < run.founds; i++) {
        if (is_enough(&run, i))
            run.analysis->unwritten++;
        else
            keep_witness(&run, &run.found[i].candidate);
        free((void *)run.found[i].candidate.request);
    }
    free(run.found);
    run.analysis->interrupted = options->stop && *options->stop;
    free(run.merged.seen);
    hd_expected_free(run.expected);
    hd_solver_free(run.solver);
    hd_checker_free(run.checker);
    hd_index_free(run.index);
    return run.analysis;
}

void hd_analysis_suppress(struct hd_analysis *a, struct hd_suppressions *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->witnesses; i++) {
        Heddle__Witness *w = a->witness[i];
        if (hd_suppressions_match(s, w)) {
            heddle__witness__free_unpacked(w, NULL);
            a->suppressed++;
            continue;
        }
        a->key[kept] = a->key[i];
        a->own_key[kept] = a->own_key[i];
        a->kept[kept] = a->kept[i];
        a->witness[kept++] = w;
        w->number = (uint32_t)kept;
    }
    a->witnesses = kept;
}

void hd_analysis_free(struct hd_analysis *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->witnesses; i++)
        heddle__witness__free_unpacked(a->witness[i], NULL);
    free(a->witness);
    free(a->key);
    free(a->own_key);
    free(a->kept);
    free(a->open_key);
    free(a->contradiction);
    free(a);
}
