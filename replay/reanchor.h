/* SPDX-License-Identifier: Apache-2.0
 * A witness for a program that was edited since.
 *
 * The program as it is now is run once in the recorded order: what every thread
 * does there is what it did in the recording, but for the edit. Per thread, the
 * steps of the witness are found again in that run by kind, function, text of the
 * line and n-th; what is new in between is taken along, what is gone is left out.
 * The result is a witness like any other, and is enforced like any other. */
#ifndef HD_REANCHOR_H
#define HD_REANCHOR_H

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"
#include "replay/stuck.h"

/* `now` is the run in the recorded order. `drift` gets a line for each step that moved. NULL and a sentence
 * in *impossible (the caller frees) where a step that the schedule hangs on is gone. Free the witness with
 * heddle__witness__free_unpacked. */
Heddle__Witness *hd_reanchor(const Heddle__Witness *, const struct hd_trace *now, struct hd_lines *drift,
                             char **impossible);

#endif
