/* SPDX-License-Identifier: Apache-2.0
 * Races: the witness brings both threads in front of their accesses; from there
 * each of them goes first once, and both outcomes count. */
#ifndef HD_RACE_H
#define HD_RACE_H

#include "replay/driver.h"

bool hd_is_race(const Heddle__Witness *);

/* Both orders. The verdict is that of the order that fails, else of the first. A race is confirmed
 * where both threads stood before the same bytes at once, at least one to write them, not both atomically,
 * and the rerun's own synchronization does not order them. */
int hd_race_replay(struct hd_replay *, const Heddle__Witness *, const struct hd_program *,
                   const struct hd_replay_options *, char *error, size_t error_size);

/* Fixes in the witness which thread goes first: the one whose order failed. */
void hd_race_settle(Heddle__Witness *, const struct hd_replay *failed);

#endif
