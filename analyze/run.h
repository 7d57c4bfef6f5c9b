/* SPDX-License-Identifier: Apache-2.0
 * One analysis under way: what the kinds of finding share.
 *
 * A kind cuts its candidates into units that know nothing of each other. Workers
 * take units, ask FEAS about each candidate, and leave a result a unit: counts,
 * lines of the account, and the first witness of every finding. Results are
 * merged in the order of the units, so the number of workers changes nothing. */
#ifndef HD_RUN_H
#define HD_RUN_H

#include "analyze/analyze.h"
#include "analyze/expected.h"
#include "analyze/feas.h"
#include "analyze/index.h"

/* What a candidate is about, as items; HD_NO_INDEX where absent. */
struct hd_candidate {
    const char *column; /* kind in the account */
    const char *kind, *pattern, *preposition;
    uint32_t r, w, c;        /* a triplet; or: */
    const uint32_t *request; /* what is next: a cycle, a pair; with c, what is done before */
    uint32_t requests;
    const uint32_t *also; /* more that is done before */
    uint32_t alsos;
    bool stuck;        /* what is next cannot be made */
    bool recorded;     /* it is so in the recording itself */
    uint32_t before_w; /* prefer a witness with this item of w's thread, without w; or HD_NO_INDEX */
};

struct hd_found {
    struct hd_candidate candidate;
    uint64_t key; /* kind, pattern and source locations */
    size_t order;
    unsigned rank;
};

struct hd_result {
    uint64_t candidates, impossible, open, feasible, expected, repeated;
    char *account;
    size_t account_size;
    struct hd_found *found;
    size_t founds, found_room;
    uint64_t *open_key;
    size_t open_keys, open_key_room;
    char *contradiction; /* in the trace; or NULL */
    bool done;
};

struct hd_worker {
    const struct hd_trace *trace;
    const struct hd_index *index;
    const struct hd_analyze_options *options;
    const struct hd_expected *expected;
    struct hd_solver *solver;
    struct hd_checker *checker; /* made for the first order to verify */
    struct hd_result *result;
    FILE *account; /* NULL: none wanted */
    uint64_t *seen; /* keys of this unit, in a table */
    bool keeps_keys; /* of all units: a lone worker meets them in order */
    size_t seen_count, seen_size;
    uint64_t words_left; /* of searches, in this unit */
};

struct hd_run {
    const struct hd_trace *trace;
    struct hd_symbols *symbols;
    const struct hd_analyze_options *options;
    struct hd_index *index;
    struct hd_expected *expected; /* races; or NULL */
    struct hd_checker *checker; /* made for the first witness */
    struct hd_solver *solver;
    struct hd_analysis *analysis;
    struct hd_worker merged; /* its table of keys */
    struct hd_found *found;
    size_t founds, found_room;
    size_t room, key_room, own_key_room, kept_room, open_key_room;
};

struct hd_kind_of_finding {
    unsigned bit;
    const char *name;
    size_t (*units)(const struct hd_index *);
    void (*unit)(struct hd_worker *, size_t);
};

/* analyze/ranking.c: the less, the earlier. What changes a pointer, then a value, is first among its kind. */
unsigned hd_rank(const struct hd_run *, const struct hd_candidate *);

extern const struct hd_kind_of_finding hd_nondet, hd_race, hd_deadlock, hd_wakeup, hd_memory, hd_misuse, hd_contended;

void hd_worker_ask(struct hd_worker *, const struct hd_candidate *);
/* Asks, and counts nothing. */
enum hd_decision hd_worker_try(struct hd_worker *, const struct hd_candidate *);
void hd_worker_leave_open(struct hd_worker *, const struct hd_candidate *, const char *stage);
/* Without asking: `count` of them are impossible. The line of the account is for one. */
void hd_worker_reject(struct hd_worker *, const struct hd_candidate *, const char *stage);
void hd_worker_reject_many(struct hd_worker *, uint64_t count);
/* Without asking: it is there in the recording itself. */
void hd_worker_accept(struct hd_worker *, const struct hd_candidate *, const char *stage);

/* analyze/workers.c: all units of a kind, each result handed to `merge` in order. */
void hd_workers_run(struct hd_run *, const struct hd_kind_of_finding *,
                    void (*merge)(struct hd_run *, struct hd_result *));
bool hd_worker_new_key(struct hd_worker *, uint64_t key);

/* Does the checker take the order? Aborts where it does not, unless it refuses the trace itself, too: then
 * *contradiction, NULL so far, says why. */
bool hd_candidate_check(const struct hd_candidate *, const struct hd_index *, struct hd_checker *,
                        const struct hd_answer *, char **contradiction);

/* analyze/identity.c: the events a candidate is about, by thread path, n and k. */
uint64_t hd_candidate_key(const struct hd_trace *, const struct hd_index *, const struct hd_candidate *);
/* Puts the run up to the last of options->keep before the order, where that is a correct reordering, too;
 * which of them the order then has. */
uint64_t hd_stay(struct hd_run *, const struct hd_candidate *, struct hd_answer *);
/* analyze/nondet.c: the last item of w's thread before the section that w is in, where it has read something
 * until then; else HD_NO_INDEX. */
uint32_t hd_looked_before(const struct hd_index *, const struct hd_candidate *);

/* The question a candidate asks; `parked` with its preference. */
struct hd_query hd_candidate_query(const struct hd_candidate *, bool parked);

#endif
