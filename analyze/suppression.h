/* SPDX-License-Identifier: Apache-2.0
 * Findings that somebody has looked at and does not want to see again, in
 * Valgrind's grammar; a file may be shared with other tools.
 *
 *     {
 *        counters are approximate
 *        heddle:race
 *        var:hits*
 *        fun:count
 *        ...
 *        fun:main
 *     }
 *
 * A name; tool[,tool]:kind, the kind as in an account or *; then what the stack of
 * one of the finding's events looks like, innermost first. A frame is fun:, obj:
 * or src:FILE[:LINE], each with * and ?; `...` is any number of frames. What is
 * below the last line does not matter. var: is the variable or the lock. A `#`
 * begins a comment. Suppressions of other tools are passed over. */
#ifndef HD_SUPPRESSION_H
#define HD_SUPPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/heddle.pb-c.h"

struct hd_suppressions;

struct hd_suppressions *hd_suppressions_new(void);
void hd_suppressions_free(struct hd_suppressions *);

/* Adds those of the file. 0, or -1 and one line in `error`: file, line, what was expected. */
int hd_suppressions_read(struct hd_suppressions *, const char *path, char *error, size_t error_size);
int hd_suppressions_parse(struct hd_suppressions *, const char *text, size_t size, const char *path, char *error,
                          size_t error_size);

/* Counts as a use of the first one that matches. */
bool hd_suppressions_match(struct hd_suppressions *, const Heddle__Witness *);

/* "FILE:LINE: suppression `name' was not used", the i-th such; NULL after the last. The caller frees. */
char *hd_suppressions_unused(const struct hd_suppressions *, size_t i);

/* A suppression that matches the finding, also after a rebuild. The caller frees. */
char *hd_suppression_words(const Heddle__Witness *);

#endif
