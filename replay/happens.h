/* SPDX-License-Identifier: Apache-2.0
 * Happens-before in one trace, from one event: what the program's own
 * synchronization orders. The replayer's semaphores are not in a trace, so they
 * order nothing here. Shares no code with the analysis.
 *
 * Who knows of the event is carried along the trace: its thread does, a release
 * tells the object, an acquire tells the thread. Where a rule is in doubt (memory
 * orders, several signals) it orders more, never less: what is said to be
 * unordered is. */
#ifndef HD_HAPPENS_H
#define HD_HAPPENS_H

#include "proto/trace.h"

/* Does event `a` happen before the later event `b`? Positions. */
bool hd_happens_before(const struct hd_trace *, size_t a, size_t b);

#endif
