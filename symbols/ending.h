/* SPDX-License-Identifier: Apache-2.0
 * How a recorded run ended, in words. The caller frees. */
#ifndef HD_ENDING_H
#define HD_ENDING_H

#include "proto/trace.h"

/* "CU_ASSERT_EQUAL(balance,20) failed (bank_test.c:40)", "segmentation fault in worker (a.c:3)",
 * "deadlock: 0.1 waits for `b` (abba.c:20), which 0.2 holds; ...". */
char *hd_ending_words(const struct hd_trace *);

/* " (bank.c:31)" for a code address of the run, or "". */
char *hd_ending_place(const struct hd_trace *, uint64_t pc);

#endif
