/* SPDX-License-Identifier: Apache-2.0
 * A trace and a question about it as SMT-LIB 2 text: another definition of what is
 * feasible, sharing nothing with the engine but the trace.
 *
 * Event e has a position pe, an integer, and a bit ie: it is in the reordering.
 * Each rule says of included events which comes first; every comparison is strict
 * and none needs positions to be different, so a solution is a partial order and
 * any line-up of it will do. A question is a bit of its own that implies what it
 * asks for, to be assumed: the rules are written once a trace. */
#ifndef HD_SMT_ENCODE_H
#define HD_SMT_ENCODE_H

#include <stdio.h>

#include "tests/random_trace.h"

enum { SMT_NONE = EVENTS + 4, SMT_UNKNOWN = 256 };

enum smt_kind { SMT_TRIPLET, SMT_INITIAL, SMT_RACE, SMT_MEMORY, SMT_CYCLE, SMT_ENDED, SMT_KINDS };

/* triplet: read, challenger; initial: read; race: two accesses; memory: access, free that is to come before it;
 * cycle: requests, none of which can be had; ended: request, end of the thread that keeps the lock. */
struct smt_question { enum smt_kind kind; unsigned event[3], events; };

/* One may be left out, to see that it is missed. */
enum smt_rule {
    SMT_ALL_RULES, SMT_VALUES, SMT_NOTHING_BETWEEN, SMT_EXCLUSION, SMT_READERS_SHARE, SMT_LEFT_OPEN, SMT_REFUSED,
    SMT_FORK, SMT_JOIN, SMT_NOT_ENDED, SMT_SIGNAL_AFTER_WAIT, SMT_SIGNAL_ONCE, SMT_BARRIER, SMT_COUNT, SMT_EMPTY,
    SMT_ONCE, SMT_ANNOTATION, SMT_LAST_WRITE, SMT_NEXT, SMT_DRAINED
};

struct smt_section { unsigned lock, thread, take, leave; bool shared; }; /* leave: SMT_NONE where left open */

struct smt_view {
    const struct made *m;
    enum smt_rule without;
    unsigned previous[EVENTS + 4];   /* of its thread, or SMT_NONE */
    unsigned origin[EVENTS + 4][2];  /* reads: 1 + the writer of each byte, or 0 */
    unsigned initial[BYTES];         /* SMT_UNKNOWN where no read saw it */
    struct smt_section section[EVENTS];
    unsigned sections;
};

void smt_view_make(struct smt_view *, const struct made *, enum smt_rule without);
bool smt_reads(const struct hd_event *);
bool smt_writes(const struct hd_event *);
bool smt_takes(const struct hd_event *);
bool smt_covers(const struct made *, unsigned access, unsigned byte);

/* The section of the lock that the event's thread is in just before it, or NULL. */
const struct smt_section *smt_held_at(const struct smt_view *, unsigned event, unsigned lock);

/* The name of the question's bit is q<number>. */
void smt_write_trace(FILE *, const struct smt_view *);
void smt_write_question(FILE *, const struct smt_view *, const struct smt_question *, unsigned number);

#endif
