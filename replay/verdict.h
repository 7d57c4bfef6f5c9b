/* SPDX-License-Identifier: Apache-2.0
 * The verdict on a rerun, as the file beside its witness. */
#ifndef HD_VERDICT_H
#define HD_VERDICT_H

#include "replay/driver.h"

/* DIR/x-1.verdict for DIR/x-1.witness. 0, or -1 and one line in `error`. */
int hd_verdict_save(const char *witness_path, const struct hd_replay *, char *error, size_t error_size);

/* A copy of it as a message, to be packed; its strings are the replay's. */
Heddle__Verdict hd_verdict_of(const char *witness_path, const struct hd_replay *);

const char *hd_verdict_word(Heddle__Verdict__Kind);

#endif
