/* SPDX-License-Identifier: Apache-2.0
 * From ring records to traces, in the parent's process: one trace a test.
 *
 * Addresses of code become (module, offset), threads become paths, and a read
 * whose value nobody was seen writing gets an unseen write before it.
 *
 * The last reads of runs come late, out of their order; they are put in place when the thread's
 * interval is over. Events before that are settled and go to the writer, if there is one. */
#ifndef HD_DRAIN_H
#define HD_DRAIN_H

#include "proto/trace.h"
#include "proto/trace_writer.h"
#include "record/program.h"
#include "record/session.h"
#include "record/shared.h"

struct hd_drain;

/* Called with each finished trace; it then belongs to the callee. Where a writer was made for it, its
 * events are all in the file, and closing that is the callee's, too. */
typedef void hd_drain_done(struct hd_trace *, struct hd_trace_writer *, void *data);

/* Called when a test begins; its trace has a header by then. NULL: the events are kept in memory. */
typedef struct hd_trace_writer *hd_drain_begin(const struct hd_trace *, void *data);

struct hd_drain *hd_drain_new(const struct hd_program *program, char *const *argv, uint64_t seed, hd_drain_done *done,
                              void *data);
void hd_drain_free(struct hd_drain *);

/* The file of declared primitives that traces name; it lives as long as the drain. */
void hd_drain_declare(struct hd_drain *, const char *path);
/* The folder that the program is started in; NULL: this process's. It lives as long as the drain. */
void hd_drain_cwd(struct hd_drain *, const char *path);

/* From now on traces are written as they come; `bytes` bounds a file, 0: no bound. */
void hd_drain_stream(struct hd_drain *, hd_drain_begin *, uint64_t bytes);

/* Bounds what is held in memory, in bytes. */
void hd_drain_limit(struct hd_drain *, uint64_t memory);

void hd_drain_aslr_off(struct hd_drain *, bool off); /* before the first record */
void hd_drain_record(struct hd_drain *, const struct hd_record *);
void hd_drain_pending(struct hd_drain *, const struct hd_record *);
void hd_drain_test_over(struct hd_drain *, enum hd_ending); /* of a process that is not the program's first */
void hd_drain_end(struct hd_drain *, const struct hd_session_result *);

#endif
