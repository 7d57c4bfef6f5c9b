/* SPDX-License-Identifier: Apache-2.0
 * How many alternatives ended in which column: each in exactly one. */
#ifndef HD_TALLY_H
#define HD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/heddle.pb-c.h"

/* In the order in which they are told. */
enum hd_column {
    HD_COLUMN_IMPOSSIBLE,
    HD_COLUMN_HARMLESS,
    HD_COLUMN_FAILING,
    HD_COLUMN_DIVERGED,
    HD_COLUMN_OPEN,
    HD_COLUMN_SUPPRESSED,
    HD_COLUMNS
};
const char *hd_column_word(enum hd_column);

struct hd_tally {
    uint64_t alternatives, column[HD_COLUMNS];
    unsigned depth, recordings; /* reruns of reruns; further recordings */
    bool complete; /* kept by check; else it is of the witnesses in the folder alone */
    bool cut;      /* the time was up */
    bool deeper;   /* there is more to try, deeper */
};

struct hd_tally hd_tally_of(const Heddle__Account *);
void hd_tally_add(struct hd_tally *, const struct hd_tally *);

/* One more alternative, in that column. */
void hd_tally_count(struct hd_tally *, enum hd_column);

/* Nothing is open, nothing diverged. */
bool hd_tally_closed(const struct hd_tally *);

/* "14 alternatives: 11 impossible, 2 harmless, 1 FAILING"; diverged and open where there are any. */
char *hd_tally_words(const struct hd_tally *);
/* "all 14 alternatives tried or impossible", or what is left; the caller frees. */
char *hd_tally_close_words(const struct hd_tally *);

#endif
