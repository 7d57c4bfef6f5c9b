/* SPDX-License-Identifier: Apache-2.0
 * One rerun of a campaign, in a process of its own: enforced, shortened where it fails, explained, written. */
#ifndef HD_RERUN_H
#define HD_RERUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/heddle.pb-c.h"
#include "record/program.h"

struct hd_rerun {
    Heddle__Witness *witness;
    const struct hd_program *program;
    unsigned time_limit;
    bool shorten;          /* where it fails */
    const char *recorded;  /* the recorded run's trace */
    char *witness_path;    /* the verdict goes beside it */
    char *trace_path;      /* of a rerun that fails; not of a very long one */
    char *next_path;       /* of one that went another way and did not fail; or NULL */
};

/* The result goes to `out`; what goes wrong is said on stderr, and `out` stays empty. */
void hd_rerun_do(struct hd_rerun *, FILE *out);

/* The verdict, with the signature of the rerun (0: none); NULL where there is no result. */
Heddle__Verdict *hd_rerun_result(const uint8_t *bytes, size_t size, uint64_t *signature);

/* All files of a witness. */
void hd_rerun_remove(const char *witness_path);

/* The reruns of TRACE's witnesses 1 to *last, NAME-N.rerun, are looked at and then removed: at the
 * latest when they end here, or when the command does. Both arguments stay until then. */
void hd_reruns_begin(const char *trace_path, const uint32_t *last);
void hd_reruns_end(const char *trace_path);

#endif
