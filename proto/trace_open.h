/* SPDX-License-Identifier: Apache-2.0
 * A trace of any kind: our own, STD text, SPD data; told apart by content, then by name. */
#ifndef HD_TRACE_OPEN_H
#define HD_TRACE_OPEN_H

#include <stddef.h>
#include <stdint.h>

#include "proto/import.h"
#include "proto/trace.h"

/* NULL and one line in `error` (file, place, remedy) where it is no trace, damaged, or not well-formed. */
struct hd_trace *hd_trace_open(const char *path, char *error, size_t error_size);

/* The same from memory. With `repairs`, an import that is not well-formed is made so and told there. */
struct hd_trace *hd_trace_open_bytes(const uint8_t *bytes, size_t size, const char *name, struct hd_repairs *repairs,
                                     char *error, size_t error_size);

#endif
