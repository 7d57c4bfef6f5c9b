/* SPDX-License-Identifier: Apache-2.0
 * How heddle show prints: for people (show_text.c, show_trace.c) and for programs (show_json.c). */
#ifndef HD_SHOW_H
#define HD_SHOW_H

#include <stddef.h>

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"

/* One column a thread, up to a width; then they begin again on the left. */
int hd_show_column(size_t thread, size_t threads);

void hd_show_trace(const struct hd_trace *);
void hd_show_stats(const struct hd_trace *, size_t bytes);
/* The story in full where the trace is given; NULL: the slices alone. */
void hd_show_witness(const Heddle__Witness *, const struct hd_trace *);
void hd_show_story(const Heddle__Witness *, const struct hd_trace *);
size_t hd_show_width(void); /* of the terminal; else $COLUMNS, else 100 */
void hd_show_verdicts(const Heddle__VerdictFile *);

/* A trace is a stream, one object an event and line; so are verdicts. A witness is one object. Numbers
 * above 2^53, which not every reader keeps, are strings of digits. */
void hd_json_trace(const struct hd_trace *);
void hd_json_stats(const struct hd_trace *, size_t bytes);
void hd_json_witness(const Heddle__Witness *);
void hd_json_verdicts(const Heddle__VerdictFile *);

#endif
