/* SPDX-License-Identifier: Apache-2.0
 * Races that the program's author expects (HEDDLE_EXPECT_RACE). Such a word holds
 * for the memory it was said of, before and after, until that is freed or made anew. */
#ifndef HD_ANALYZE_EXPECTED_H
#define HD_ANALYZE_EXPECTED_H

#include "proto/trace.h"

struct hd_expected;

/* NULL where nothing is expected. */
struct hd_expected *hd_expected_new(const struct hd_trace *);
void hd_expected_free(struct hd_expected *);

/* Is a race of these two events one of them? */
bool hd_expected_race(const struct hd_expected *, uint64_t a, uint64_t b);

#endif
