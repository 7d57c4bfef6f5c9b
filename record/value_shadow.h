/* SPDX-License-Identifier: Apache-2.0
 * The last value seen in every byte of the test's memory. */
#ifndef HD_VALUE_SHADOW_H
#define HD_VALUE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

struct hd_value_shadow;

/* Within `bytes` of memory (0: any): beyond it everything is forgotten. */
struct hd_value_shadow *hd_value_shadow_new(uint64_t bytes);
void hd_value_shadow_free(struct hd_value_shadow *);

/* Is the value another than the one seen last? Bytes never seen contradict nothing. */
bool hd_value_shadow_differs(struct hd_value_shadow *, uint64_t address, unsigned size, uint64_t value);
void hd_value_shadow_set(struct hd_value_shadow *, uint64_t address, unsigned size, uint64_t value);
void hd_value_shadow_forget(struct hd_value_shadow *, uint64_t address, uint64_t size);

#endif
