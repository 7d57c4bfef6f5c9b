/* SPDX-License-Identifier: Apache-2.0
 * The exact search. A state is (items done per thread, contents of the cells
 * that are still read, signals a waiting thread has had, running thread). The
 * first pass only decides, and has no running thread; the second finds the
 * fewest context switches.
 *
 * Eager items: an enabled read, failed try, create, start, join or inert item
 * changes nothing that could stop another thread, a release only helps (unless a
 * failed try needs the lock), and so on: doing them now is never wrong, so only
 * contended acquires, live writes and the like branch.
 *
 * Signals: a waiting thread's word is twice the unused signals since its wait
 * began, plus one after a broadcast. A wake-up uses the earliest signal it can,
 * which is one that every waiter with at least as many has seen too. */
#ifndef HD_SEARCH_H
#define HD_SEARCH_H

#include "analyze/feas.h"

struct hd_record { uint32_t parent, thread, cost; bool done; };

struct hd_search {
    const struct hd_index *x;
    const struct hd_query *q;
    const struct hd_cone *cone;
    uint32_t threads, slots, words; /* words of a state: positions, signals, contents, running */
    uint32_t *slot, *cell;          /* cell -> slot, slot -> cell */
    bool *goal;                     /* slot is one the freed read differs in */
    uint32_t *read_end, *write_end; /* [slot][thread]: one past the last read/write in the cone */
    bool minimal;                   /* second pass */
    uint32_t *state;                /* arena */
    struct hd_record *record;
    size_t states, state_room, record_room;
    uint32_t *table;
    size_t table_size;
    uint32_t *now;
    struct hd_answer *log;
    size_t log_room;
};

/* analyze/moves.c */
const struct hd_item *hd_move_next(const struct hd_search *, uint32_t thread);
bool hd_move_enabled(const struct hd_search *, const struct hd_item *);
bool hd_move_reached(const struct hd_search *);
bool hd_move_dead(const struct hd_search *); /* no way back: the challenger was overwritten */
void hd_move_start(struct hd_search *);
void hd_move(struct hd_search *, uint32_t thread); /* one item, then what is eager */

#endif
