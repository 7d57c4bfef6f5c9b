/* SPDX-License-Identifier: Apache-2.0
 * From a trace to witnesses and an account.
 *
 * trace -> index -> candidates -> FEAS -> witness -> independent check.
 * Every candidate ends in exactly one column: impossible, witness, open. */
#ifndef HD_ANALYZE_H
#define HD_ANALYZE_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"
#include "symbols/symbols.h"

enum hd_decision { HD_IMPOSSIBLE, HD_WITNESS, HD_OPEN };

enum {
    HD_KINDS_NONDET = 1,
    HD_KINDS_DEADLOCK = 2,
    HD_KINDS_RACE = 4,
    HD_KINDS_WAKEUP = 8,
    HD_KINDS_MEMORY = 16,
    HD_KINDS_MISUSE = 32,
    HD_KINDS_ALL = 63
};

struct hd_analyze_options {
    unsigned kinds;
    uint64_t state_budget; /* states one candidate may visit before it is open; 0: default */
    bool strict_writers;   /* kept reads keep their writers, not only their values */
    bool same_value;       /* a triplet counts although r would see the same value */
    bool all;              /* a witness for every feasible candidate, not one a finding */
    bool once;             /* a candidate like one that has a witness, by its places, is not asked about */
    bool verdicts_only;    /* no witnesses */
    uint64_t effort;       /* events lined up for witnesses; what is left then has none. At least 100; 0: no limit */
    bool plain;            /* no short cuts in the engine (analyze/engine.h): the same verdicts, later */
    bool verify;           /* the checker sees the order of every feasible candidate */
    unsigned jobs;         /* threads; 0 and 1: none beside the caller's */
    const volatile sig_atomic_t *stop;                              /* not 0: end soon, keep what there is; or NULL */
    void (*progress)(const char *kind, size_t done, size_t units); /* or NULL */
    FILE *account;         /* NULL: none */
    const uint64_t *keep;  /* rising positions of what this run did otherwise than another: a witness does it, too, */
    size_t keeps;          /* where it can, so that alternatives add up; at most 64 */
};

struct hd_analysis {
    uint64_t candidates, impossible, open;
    uint64_t feasible; /* candidates = impossible + open + feasible */
    uint64_t repeated; /* with `once`: not asked about; candidates then has them too */
    uint64_t expected; /* feasible races that the program says are meant: no findings */
    size_t unwritten;  /* findings beyond `effort`, the last by rank; or not reached when it was interrupted */
    size_t suppressed; /* findings that were, and have no witness here */
    bool interrupted;
    char *contradiction; /* why the trace cannot have happened as it says: nothing here counts; or NULL */
    size_t witnesses; /* one a finding, or one a feasible candidate */
    Heddle__Witness **witness; /* numbered 1.. in order; header, names and slices filled in */
    uint64_t *key;  /* one a witness: the alternative by the identity of its events, the same in every rerun */
    uint64_t *own_key; /* likewise what this run did in its place: no alternative to anything that begins like it */
    uint64_t *kept; /* one a witness: bit i, it does keep[i] */
    uint64_t *open_key; /* of those left open, as far as they are listed */
    size_t open_keys;
};

/* Never prints. A witness that the independent checker refuses is a bug of ours: abort. */
struct hd_analysis *hd_analyze(const struct hd_trace *, struct hd_symbols *, const struct hd_analyze_options *);
void hd_analysis_free(struct hd_analysis *);

/* The schedule of the recorded run itself, as a witness: for a run that failed. `title` names the finding,
 * whose sentence is how the run ended. */
Heddle__Witness *hd_witness_of_run(const struct hd_trace *, struct hd_symbols *, const char *kind, const char *title);
/* Drops the witnesses of suppressed findings; the others are numbered anew. Candidates stay counted. */
struct hd_suppressions;
void hd_analysis_suppress(struct hd_analysis *, struct hd_suppressions *);

/* Independent checker (analyze/check.h): is this schedule, a list of positions in the trace, a correct
 * reordering? `freed` is the position of the read that may see another value (last in order), or
 * UINT64_MAX. NULL where it is, else what is wrong, valid until the next run. */
struct hd_checker;
struct hd_checker *hd_checker_new(const struct hd_trace *, bool strict_writers);
const char *hd_checker_run(struct hd_checker *, const uint64_t *order, size_t count, uint64_t freed);
void hd_checker_free(struct hd_checker *);

/* After a run: was the event made; is it its thread's next (but for what no other thread sees); do all these have
 * to wait for other threads; 1 + the event that last wrote that byte of what it touches (0: nobody), and who had
 * in the recording. */
bool hd_checker_done(const struct hd_checker *, uint64_t position);
bool hd_checker_next(const struct hd_checker *, uint64_t position);
bool hd_checker_stuck(struct hd_checker *, const uint64_t *position, size_t count);
uint64_t hd_checker_writer(const struct hd_checker *, uint64_t position, unsigned byte, uint64_t *recorded);

#endif
