/* SPDX-License-Identifier: Apache-2.0
 * A rerun in which nobody can go on: who waits for what, what each holds, its
 * stack, and the cycle, from the rerun's own trace. */
#ifndef HD_STUCK_H
#define HD_STUCK_H

#include "proto/trace.h"

struct hd_lines { char **line; size_t count, room; };
void hd_lines_add(struct hd_lines *, char *line); /* takes it */
void hd_lines_free(struct hd_lines *);

struct hd_stuck {
    bool cycle;  /* of locks, closed */
    bool wakeup; /* somebody waits to be woken */
};

struct hd_stuck hd_stuck_describe(const struct hd_trace *, struct hd_lines *);

/* Where `thread` took what it still holds of `object` at the end: "bank.c:30", or "". The caller frees. */
char *hd_taken_at(const struct hd_trace *, uint32_t thread, uint32_t object);

#endif
