/* SPDX-License-Identifier: Apache-2.0
 * A trace written as it comes: the header first, then events in chunks, each
 * after the table entries it refers to, then the end. What has been put can be
 * read back, under the temporary name until the writer is closed.
 *
 * After a failed write (disk full, file-size limit) nothing more is written: the
 * file ends with its last whole message, gets its name, and closing says why. */
#ifndef HD_TRACE_WRITER_H
#define HD_TRACE_WRITER_H

#include "proto/trace.h"

#define HD_CHUNK_EVENTS 16384

struct hd_trace_writer;

/* NULL and one line in `error` where the file cannot be made. The tables of the
 * trace may grow later, its other fields are in the header now. */
struct hd_trace_writer *hd_trace_writer_open(const struct hd_trace *, const char *path, char *error, size_t error_size);

/* Appends events; their n is not written, it follows from those before. */
void hd_trace_writer_put(struct hd_trace_writer *, const struct hd_trace *, const struct hd_event *, size_t count);

uint64_t hd_trace_writer_events(const struct hd_trace_writer *);
uint64_t hd_trace_writer_bytes(const struct hd_trace_writer *);

/* Renames the file and frees the writer. 0, or -1 and one line in `error`. */
int hd_trace_writer_close(struct hd_trace_writer *, const struct hd_trace *, char *error, size_t error_size);

#endif
