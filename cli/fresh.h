/* SPDX-License-Identifier: Apache-2.0
 * Further recordings of a program, by other schedules: seeded random switching and priorities in turn.
 * Each is one run of the whole program; its tests feed their campaigns. */
#ifndef HD_FRESH_H
#define HD_FRESH_H

#include "cli/campaign.h"
#include "record/recording.h"

struct hd_fresh {
    char *const *argv;
    const struct hd_recording *recording; /* the first one: campaign[i] is of its trace[i] */
    struct hd_campaign **campaign;
    struct hd_recording_options options; /* as for the first one */
    time_t until;
};

/* Until the time is up, nothing is open or diverged any more, or many in a row have shown nothing new. 0, or -1 and
 * one line in `error`. */
int hd_fresh_run(struct hd_fresh *, char *error, size_t error_size);

#endif
