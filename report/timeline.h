/* SPDX-License-Identifier: Apache-2.0
 * A run as rows: who did what, in order.
 *
 * Rows are synchronization, assertions, and accesses to the data that the finding is about. A long
 * run keeps the rows near those that matter; what was left out before a row is counted in it.
 *
 * The run of a witness comes from the rerun's trace where that was kept. Else it is computed: the
 * slices say which recorded events of each thread come when, up to the event that differs. */
#ifndef HD_TIMELINE_H
#define HD_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"
#include "report/source_place.h"
#include "symbols/symbols.h"

struct hd_row {
    uint32_t thread; /* index in the witness */
    uint64_t position;
    const char *role; /* NULL, or of the finding's roles */
    const char *words, *value;
    struct hd_source_place place;
    uint64_t number;  /* the value */
    size_t skipped;   /* rows left out just before */
    bool differs;     /* from the same event of the other run */
    bool waits;       /* wants to, and cannot */
    bool has_value, failed;
};

struct hd_timeline { struct hd_row *row; size_t rows, room, skipped; }; /* skipped: after the last row */

/* One recorded run, and everything that puts it in words. */
struct hd_seen_run {
    const struct hd_trace *trace;
    struct hd_symbols *symbols;
};

/* The trace begins with the witness's steps: it is a rerun that reached it. */
bool hd_follows(const struct hd_trace *, const Heddle__Witness *);

/* `rerun.trace` may be NULL. */
void hd_timelines_make(struct hd_timeline *recorded, struct hd_timeline *failing, const Heddle__Witness *,
                       struct hd_seen_run run, struct hd_seen_run rerun, struct hd_strings *);

/* All of a trace that failed as recorded. */
void hd_timeline_of_trace(struct hd_timeline *, struct hd_seen_run run, struct hd_strings *);

/* What the read `r` sees when it sees the write `c`, or none; false where the trace does not say. */
bool hd_value_seen(const struct hd_trace *, const Heddle__Witness *, uint64_t *value);

/* A number, or "an address": those differ from run to run. */
const char *hd_value_words(struct hd_strings *, uint64_t value, unsigned size);

#endif
