/* SPDX-License-Identifier: Apache-2.0
 * From an order of positions to a witness message: slices a person can read,
 * and the finding in words. All strings and messages are allocated singly, so
 * heddle__witness__free_unpacked(w, NULL) frees it. */
#ifndef HD_WITNESS_BUILD_H
#define HD_WITNESS_BUILD_H

#include "analyze/run.h"

Heddle__Witness *hd_witness_new(struct hd_run *, const struct hd_candidate *, const struct hd_answer *);

/* analyze/finding.c: kind, id, title, sentence; the roles are witness.c's. */
Heddle__Finding *hd_finding_new(struct hd_run *, const struct hd_candidate *);

/* Of a run that failed as it is: how it ended. */
Heddle__Finding *hd_finding_of_run(const struct hd_trace *, const char *kind, const char *title);

#endif
