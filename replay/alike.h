/* SPDX-License-Identifier: Apache-2.0
 * Are two reruns of a witness the same: verdict, words, and every event up to the
 * failure? */
#ifndef HD_ALIKE_H
#define HD_ALIKE_H

#include "replay/driver.h"

/* NULL where they are; else how they differ. The caller frees. */
char *hd_replay_difference(const struct hd_replay *, const struct hd_replay *);

#endif
