/* SPDX-License-Identifier: Apache-2.0
 * SPD data, big endian: i16 threads, i32 locks, i32 variables, i64 events; then one i64 an event:
 * bits 0-9 thread, 10-13 operation, 14-47 operand, 48-62 location.
 *
 * Operations: 0 acquire, 1 release, 2 read, 3 write, 4 fork, 5 join, 6 begin, 7 end, 8 request,
 * 9 branch. Thread 3 becomes T3, lock 3 L3, variable 3 V3. The counts of threads, locks and
 * variables are hints and not used; that of events must be what the file holds. Such files repeat
 * begin and end: the first begin after the fork counts, and the first end that no other
 * event of its thread follows. */
#ifndef HD_SPD_DATA_H
#define HD_SPD_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/import.h"

/* There is no magic number: sane counts that fit the size. */
bool hd_spd_recognise(const uint8_t *bytes, size_t size);

/* As hd_std_parse(). */
struct hd_trace *hd_spd_parse(const uint8_t *bytes, size_t size, const char *name, struct hd_repairs *repairs,
                              char *error, size_t error_size);

#endif
