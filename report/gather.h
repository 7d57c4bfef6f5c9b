/* SPDX-License-Identifier: Apache-2.0
 * What happened, as one model that every report is made from.
 *
 * A folder holds traces (TEST.trace), witnesses (TEST-N.witness) and what their reruns did
 * (TEST-N.verdict). A trace named like a witness, TEST-N.trace, is the rerun's own, kept by
 * `heddle replay --trace-out`; where it is there and follows the witness, the failing run is shown to its end.
 *
 * Witnesses with the same finding id are one finding with several occurrences. The one shown is
 * the worst, then the one with the fewest context switches, then the first. A recording that failed
 * by itself is a finding, too; it has a witness where check made one.
 *
 * Order: tests by the name of their trace, findings by verdict, then test, then number. Strings
 * belong to the report. */
#ifndef HD_GATHER_H
#define HD_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/baseline.h"
#include "report/tally.h"
#include "report/timeline.h"

/* Worst first, which is also their order. */
enum hd_verdict_rank {
    HD_RANK_FAILING,
    HD_RANK_DIVERGED,
    HD_RANK_NOT_REACHED,
    HD_RANK_NOT_RUN, /* a witness without a verdict */
    HD_RANK_HARMLESS,
    HD_RANKS
};
const char *hd_rank_word(enum hd_verdict_rank);

struct hd_report_test {
    const char *suite, *name, *trace, *program, *outcome;
    const char *recorded_failure; /* NULL where the recording passed */
    size_t events, threads;
    struct hd_tally tally;
};

struct hd_occurrence {
    size_t test;         /* index */
    const char *witness; /* file name; NULL: failed as recorded */
    uint32_t number, context_switches;
    enum hd_verdict_rank rank;
    const char *text;      /* what failed, or where it diverged */
    const char *confirmed; /* what the rerun read instead; "" where nobody said */
};

/* From the first read that differs to what failed. */
struct hd_report_link {
    const char *thread, *words;
    const char *value, *recorded; /* NULL: none */
    const char *place;            /* "bank.c:31", or "" */
};

/* An event that the finding is about. */
struct hd_report_role {
    const char *name;  /* r, w, c, request */
    const char *label; /* what that means */
    const char *thread, *words;
    struct hd_source_place place, *stack; /* innermost first */
    size_t frames;
    const char **held;
    size_t helds;
    const char *value; /* when recorded; NULL where there is none */
    const char *other; /* under the witness, where that differs */
};

struct hd_report_finding {
    const char *kind, *id, *title, *sentence, *variable, *pattern;
    struct hd_occurrence *occurrence; /* the first is the one shown */
    size_t occurrences;
    struct hd_report_role *role;
    size_t roles;
    const char **thread;
    size_t threads;
    struct hd_report_link *chain; /* of the occurrence shown */
    size_t links;
    struct hd_timeline recorded, failing;
    bool rerun; /* `failing` is a rerun's trace, not the schedule alone */
    bool known; /* in the baseline */
};

struct hd_report {
    const char *dir, *time; /* time: NULL where SOURCE_DATE_EPOCH does not say */
    struct hd_report_test *test;
    size_t tests;
    struct hd_report_finding *finding;
    size_t findings;
    struct hd_tally tally;      /* of all tests */
    bool has_baseline;
    size_t failing, known;      /* findings that fail; how many of them are in the baseline */
    struct hd_strings strings;
};

struct hd_report_options {
    const char *program; /* absolute: only what is of it; NULL: all that is in the folder */
    const struct hd_baseline *baseline; /* or NULL */
};

/* NULL and one line in `error`. */
struct hd_report *hd_report_gather(const char *dir, const struct hd_report_options *, char *error, size_t error_size);
void hd_report_free(struct hd_report *);

/* The first role's place with a line; without roles, where the run ended; or NULL. */
const struct hd_source_place *hd_finding_place(const struct hd_report_finding *);

/* "bank_test": the base name; the folder where it is unknown. */
const char *hd_report_program(const struct hd_report *);

/* "heddle replay [OPTION ]DIR/WITNESS" for a shell; the caller frees. */
char *hd_replay_line(const struct hd_report *, const struct hd_occurrence *, const char *option);

#endif
