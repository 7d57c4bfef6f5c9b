/* SPDX-License-Identifier: Apache-2.0
 * What a campaign remembers: keys that were met, and which witness files it keeps. */
#ifndef HD_SEEN_H
#define HD_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"

/* Keys to small numbers; 0 stands for a key that was not set. */
struct hd_seen { uint64_t *key; uint8_t *value; size_t count, size; };
unsigned hd_seen_get(const struct hd_seen *, uint64_t key);
void hd_seen_set(struct hd_seen *, uint64_t key, unsigned value);
void hd_seen_free(struct hd_seen *);
uint64_t hd_seen_mix(uint64_t);

/* What every thread did and saw, and whom signals met, whoever came first: the same for runs that nobody in them can
 * tell apart. */
uint64_t hd_run_signature(const struct hd_trace *);

/* Of each finding and verdict one file, that with the fewest context switches; the first where they are alike. */
struct hd_kept_file { char *id, *path, *text; unsigned kind, switches; };
struct hd_kept { struct hd_kept_file *file; size_t files, room; };

/* False: there is a better one, and this file can go. True: it is kept, and *drop (the caller frees) is the
 * file that it replaces, if any. */
bool hd_kept_better(struct hd_kept *, const char *id, const Heddle__Verdict *, const char *path, char **drop);
bool hd_kept_short(const struct hd_kept *, const char *id); /* of a failing one: nobody looks for a shorter one */
bool hd_kept_fails_so(const struct hd_kept *, const char *text);
void hd_kept_free(struct hd_kept *);

#endif
