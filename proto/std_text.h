/* SPDX-License-Identifier: Apache-2.0
 * STD text, one event a line: T0|acq(L1)|23, that is thread|operation(operand)|location.
 *
 *   r w          read, write of a variable
 *   acq rel      of a lock; re-entrant too
 *   fork join    of a thread
 *   sig wake     of a condition: a wait is rel(L), wake(S), acq(L), and between the first two
 *                another thread's sig(S)
 *   begin end    of the thread itself; read, never written
 *   req branch   read as nothing
 *
 * The location may be missing; spaces around a field, empty lines and a CR do not count. Names
 * are printable ASCII. An import and its export have the same lines. */
#ifndef HD_STD_TEXT_H
#define HD_STD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/import.h"

/* The first line that is not empty is an event's. */
bool hd_std_recognise(const uint8_t *bytes, size_t size);

/* NULL and one line in `error`; faults are repaired where `repairs` is given (proto/import.h). */
struct hd_trace *hd_std_parse(const uint8_t *bytes, size_t size, const char *name, struct hd_repairs *repairs,
                              char *error, size_t error_size);

/* What STD has no word for is left out, and counted by kind in `left_out` (HD_KIND_COUNT entries).
 * Atomic accesses become plain ones; data that overlap become one variable. */
void hd_std_print(const struct hd_trace *, FILE *, size_t *left_out);

#endif
