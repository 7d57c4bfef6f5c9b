/* SPDX-License-Identifier: Apache-2.0
 * Where a value came from that a read of a rerun saw, and the recorded run did not. */
#ifndef HD_ORIGIN_H
#define HD_ORIGIN_H

#include "proto/trace.h"

/* Do both values point into code, a stack or a block of their runs? Such values differ from run to run. */
bool hd_both_addresses(const struct hd_trace *, const struct hd_event *, const struct hd_trace *, const struct hd_event *);

/* `read`: its position in the rerun; `was`: in the recording. "0 wrote it (a.c:7): an address". The caller frees. */
char *hd_origin_words(const struct hd_trace *recorded, size_t was, const struct hd_trace *rerun, size_t read);

#endif
