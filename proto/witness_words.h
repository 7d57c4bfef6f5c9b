/* SPDX-License-Identifier: Apache-2.0
 * A witness in words; the caller frees. */
#ifndef HD_WITNESS_WORDS_H
#define HD_WITNESS_WORDS_H

#include "proto/heddle.pb-c.h"

/* "3rd lock (`m`, bank.c:31)", "read of `balance` (bank.c:17)". */
char *hd_step_words(const Heddle__Witness *, const Heddle__Step *);

/* "runs until just before its 3rd lock (`m`, bank.c:31)". */
char *hd_slice_words(const Heddle__Witness *, const Heddle__Slice *);

/* "bank.c:31", or "libx.so+0x12" where the line is not known. */
char *hd_anchor_words(const Heddle__Witness *, uint32_t anchor);

#endif
