/* SPDX-License-Identifier: Apache-2.0
 * Before a loose replay: the test is run once in the recorded order, and the
 * witness is fitted to what the program is now (reanchor.h). */
#ifndef HD_LOOSE_H
#define HD_LOOSE_H

#include "replay/driver.h"

/* The fitted witness, which replaces *witness; or *impossible says what is gone, and *witness stays.
 * -1 and one line in `error` where the test cannot be run at all. */
int hd_loose_fit(Heddle__Witness **witness, const struct hd_program *, const struct hd_replay_options *,
                 struct hd_lines *drift, char **impossible, char *error, size_t error_size);

/* The verdict on a witness that does not fit any more. */
void hd_loose_verdict(struct hd_replay *, const char *impossible);

#endif
