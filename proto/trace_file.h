/* SPDX-License-Identifier: Apache-2.0
 * Reading traces from memory, and telling our files apart. */
#ifndef HD_TRACE_FILE_H
#define HD_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "proto/trace.h"

enum hd_file_type { HD_FILE_UNKNOWN, HD_FILE_TRACE, HD_FILE_WITNESS, HD_FILE_VERDICT };

/* By the first message alone; UNKNOWN where that is cut or foreign. */
enum hd_file_type hd_file_recognise(const uint8_t *bytes, size_t size);

/* As hd_trace_read(); `name` is for the error line. */
struct hd_trace *hd_trace_parse(const uint8_t *bytes, size_t size, const char *name, char *error, size_t error_size);

#endif
