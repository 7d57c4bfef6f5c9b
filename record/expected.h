/* SPDX-License-Identifier: Apache-2.0
 * Races that the user expects: HEDDLE_EXPECT_RACE, and the older AnnotateBenignRace*.
 *
 * In a test, a mark in the trace and the reason in a note. Before one, as in main or
 * a constructor: kept where the memory is static, and said again as each test begins;
 * other memory may be somebody else's by then. */
#ifndef HD_EXPECTED_H
#define HD_EXPECTED_H

#include "record/runtime.h"

HD_EXPORT void heddle_expect_race(const volatile void *, size_t size, const char *file, int line, const char *reason);

void hd_expected_begin(struct hd_thread *); /* a test begins */

#endif
