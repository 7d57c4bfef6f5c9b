/* SPDX-License-Identifier: Apache-2.0
 * What the rerun's own trace says about the finding, and where it first left the
 * recording. Both compare events by identity: thread path, n, k. */
#ifndef HD_CONFIRM_H
#define HD_CONFIRM_H

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"

enum hd_confirmed { HD_CONFIRM_NONE, HD_CONFIRM_SEEN, HD_CONFIRM_UNCHANGED };

/* Did r see another value than in the recording? `words` (the caller frees; "" where there is nothing
 * to say): "0.2 read `balance` = 100 (bank.c:17), recorded 110". */
enum hd_confirmed hd_confirm_read(const Heddle__Witness *, const struct hd_trace *rerun, char **words);

/* The event that a role of the finding is about: its position in the rerun, SIZE_MAX where it is not there. */
size_t hd_event_of(const Heddle__Witness *, const Heddle__Role *, const struct hd_trace *rerun);

/* "0.1 (write of `y`, a.c:3)". The caller frees. */
char *hd_event_words(const Heddle__Witness *, const Heddle__Role *);

/* The first access to a block after it was freed: "0.1 reads `block of 4 bytes from a.c:3`, freed at
 * a.c:9 (a.c:7)". NULL where there is none. The caller frees. */
char *hd_use_after_free(const struct hd_trace *);

/* The first read of the rerun whose value is not the recorded one: "first other value: 0.1 read `x` = 5
 * (a.c:3), recorded 4; 0 wrote it (a.c:9): ...". NULL where there is none. The caller frees. */
char *hd_first_difference(const struct hd_trace *recorded, const struct hd_trace *rerun);

#endif
