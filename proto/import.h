/* SPDX-License-Identifier: Apache-2.0
 * A foreign trace, made one of ours: what the readers of STD text and SPD data share.
 *
 * A reader adds its events, all as names; hd_import_finish() makes the trace. There a thread, a
 * lock, a variable and a location each get a number, an address of their own and keep their name.
 * One event in is one event out, so positions are those of the file; only what is not an event
 * (a request, a branch, a mark of a thread's begin or end that is repeated) leaves none.
 *
 * A well-formed trace is one that can have happened: nobody acquires what another thread holds or
 * releases what it does not hold; a thread runs after its fork, and not after its end or a join of
 * it. Re-entrant acquires are well-formed, and so is a thread that nobody forked. A wait on a
 * condition is rel(L), wake(S), acq(L) with another thread's sig(S) between the first two.
 * The first fault refuses the trace, or is repaired:
 *
 *   acquire of what another holds       the holder releases just before; its own release, later, is dropped
 *   the same, its holder ended or waits dropped
 *   release of what is not held         dropped
 *   fork of a thread that runs, twice   dropped
 *   join of a thread that still runs    dropped
 *   wake without a wait                 dropped
 *   wake without a signal               timed out
 *   a line or an operation unknown      dropped */
#ifndef HD_IMPORT_H
#define HD_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/trace.h"

enum hd_import_op {
    HD_IMPORT_ACQUIRE,
    HD_IMPORT_RELEASE,
    HD_IMPORT_READ,
    HD_IMPORT_WRITE,
    HD_IMPORT_FORK,
    HD_IMPORT_JOIN,
    HD_IMPORT_BEGIN,
    HD_IMPORT_END,
    HD_IMPORT_SIGNAL,
    HD_IMPORT_WAKE,
    HD_IMPORT_NOTHING, /* understood, and left out */
};

/* What was wrong, and how often it was repaired. */
enum hd_fault {
    HD_FAULT_HELD,
    HD_FAULT_HELD_FOREVER,
    HD_FAULT_NOT_HELD,
    HD_FAULT_FORK,
    HD_FAULT_JOIN,
    HD_FAULT_WAKE,
    HD_FAULT_SIGNAL,
    HD_FAULT_MARK,
    HD_FAULT_UNKNOWN,
    HD_FAULT_COUNT
};

struct hd_repairs { size_t count[HD_FAULT_COUNT]; };

size_t hd_repairs_total(const struct hd_repairs *);
/* "2 releases of a lock not held dropped", for a fault and its count. */
char *hd_repair_words(enum hd_fault, size_t count);

/* How a file is imported. `place` is what its numbers count: "line" or "event". */
struct hd_import_how {
    const char *file, *place;
    bool loose_marks;           /* begin and end may be repeated or too early: the others count */
    struct hd_repairs *repairs; /* NULL: refuse */
};

struct hd_import;
struct hd_span { const char *text; size_t length; };

struct hd_import *hd_import_new(const struct hd_import_how *);
void hd_import_free(struct hd_import *);

void hd_import_add(struct hd_import *, uint64_t number, struct hd_span thread, enum hd_import_op,
                   struct hd_span operand, struct hd_span location);

/* A line or operation that cannot be read: true where it was repaired, false with a line in `error`. */
__attribute__((format(printf, 5, 6))) bool hd_import_unknown(struct hd_import *, uint64_t number, char *error,
                                                             size_t error_size, const char *fmt, ...);

/* NULL and one line in `error` where the trace is not well-formed. */
struct hd_trace *hd_import_finish(struct hd_import *, char *error, size_t error_size);

#endif
