/* SPDX-License-Identifier: Apache-2.0
 * A witness as the plan that the policy inside the test enforces. */
#ifndef HD_SCHEDULE_H
#define HD_SCHEDULE_H

#include "proto/heddle.pb-c.h"
#include "record/program.h"
#include "record/shared.h"

struct hd_schedule {
    struct hd_plan_thread *thread;
    struct hd_plan_slice *slice;
    struct hd_plan_check *check;
    uint32_t threads, slices, checks;
    char *test; /* "suite\ntest" */
};

/* Call sites are compared only where the program is the one recorded: another build moves them. */
void hd_schedule_make(struct hd_schedule *, const Heddle__Witness *, const struct hd_program *);
void hd_schedule_free(struct hd_schedule *);

#endif
