/* SPDX-License-Identifier: Apache-2.0
 * The shortest schedule that still fails: slices that the failure does not need
 * are dropped or joined with others of their thread, stops between accesses become
 * stops before synchronization; each change is confirmed by a rerun. */
#ifndef HD_MINIMISE_H
#define HD_MINIMISE_H

#include "replay/driver.h"

/* Shortens w->slice in place; `failed` is how the whole witness ended, and gets the figures of what is
 * kept. At most `budget` reruns, fewer where several run into the limit. Returns by how many slices it is shorter. */
size_t hd_minimise(Heddle__Witness *, const struct hd_program *, struct hd_replay *failed, unsigned time_limit,
                   unsigned budget);

#endif
