/* SPDX-License-Identifier: Apache-2.0
 * One rerun of a test under a witness, and the judgement on it. */
#ifndef HD_DRIVER_H
#define HD_DRIVER_H

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"
#include "record/program.h"
#include "record/session.h"
#include "replay/constraints.h"
#include "replay/stuck.h"

struct hd_replay_options {
    enum hd_output output;
    unsigned time_limit, memory; /* seconds, MB; 0: none */
    char *const *wrapper; /* gdb */
    char *const *argv;    /* in place of the recorded command line, or NULL */
    const char *recorded_beside; /* a file beside the recorded trace: to say where a divergence began; or NULL */
    const struct hd_text *expected_output; /* another output on stdout is a failure; NULL: it is not compared */
    bool loose;           /* the program was edited: leaving the schedule means that it is no longer possible */
    uint64_t seed;        /* of the order that follows the last slice */
    const char *declare;  /* NULL: the file the test was recorded with */
};

struct hd_replay {
    Heddle__Verdict__Kind kind;
    unsigned outcome, detail; /* Heddle__Outcome */
    char *text;               /* what failed, who waits for whom, or where it diverged */
    char *confirmed;          /* what the rerun's trace says of the finding, or "" */
    const char *confirmation; /* value, race, deadlock, lost wakeup, use after free; "" where nothing was proved */
    struct hd_lines more;     /* stacks and locks at a deadlock, the outcomes of both orders of a race */
    unsigned race_order;      /* which of the two accesses went first */
    uint32_t slices_done;
    struct hd_constraints constraints; /* where the end of the schedule was reached */
    struct hd_text output, errors; /* what the test printed, where it was kept */
    struct hd_trace *trace;   /* of the rerun; NULL where the test was not reached */
};

/* 0, or -1 and one line in `error`. */
int hd_replay_run(struct hd_replay *, const Heddle__Witness *, const struct hd_program *,
                  const struct hd_replay_options *, char *error, size_t error_size);
/* The same without a second look: one rerun, also of a race. */
int hd_replay_once(struct hd_replay *, const Heddle__Witness *, const struct hd_program *,
                   const struct hd_replay_options *, char *error, size_t error_size);

/* The test in the recorded order: the schedule left out. */
int hd_replay_recorded_order(struct hd_replay *, const Heddle__Witness *, const struct hd_program *,
                             const struct hd_replay_options *, char *error, size_t error_size);
/* Once it is known how the rerun ended: was it that memory was used after it was freed? */
void hd_replay_look_for_use_after_free(struct hd_replay *, const Heddle__Witness *);
void hd_replay_free(struct hd_replay *);

#endif
