/* SPDX-License-Identifier: Apache-2.0
 * How much of a schedule is force: the switches from slice to slice, and those of
 * them that are constraints because the thread could have gone on. */
#ifndef HD_CONSTRAINTS_H
#define HD_CONSTRAINTS_H

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"

struct hd_constraints { uint32_t switches, forced; };

/* `rerun`: one that reached the end of the schedule. */
struct hd_constraints hd_constraints_of(const Heddle__Witness *, const struct hd_trace *rerun);

#endif
