/* SPDX-License-Identifier: Apache-2.0
 * A row of a timeline in words. */
#ifndef HD_ROW_WORDS_H
#define HD_ROW_WORDS_H

#include "report/timeline.h"

/* Sets words, value and place from position, number and has_value. */
void hd_row_words(struct hd_row *, struct hd_seen_run, struct hd_strings *);

bool hd_row_has_value(const struct hd_trace *, uint64_t position);

/* Addresses differ from run to run and say nothing: told by their size, as Linux lays memory out. */
bool hd_is_address(uint64_t value, unsigned size);

#endif
