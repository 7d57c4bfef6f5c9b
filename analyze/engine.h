/* SPDX-License-Identifier: Apache-2.0
 * The staged engine: FEAS for very many questions.
 *
 * Kept reads keep their writers here. Its "no" is a proof for that question; where
 * reads keep values only, a "no" says nothing and a "yes" is still a yes. A second
 * engine, by value, is asked then: it says nothing of a read that several writes
 * can serve (analyze/sources.c) until stage 3 chooses among them, so its "no" is
 * a proof, too.
 *
 *   stage 0  The ideal of what must be there, from the must-clocks, closed under
 *            the sections of locks held at the frontier. A frontier event inside
 *            it, or a write of the cell after the challenger: no.
 *   stage 1  The ideal in trace order, then at most two tails: the challenger's
 *            block from its outermost lock on, then the reader's. Where nothing
 *            left behind needs a tail, and the tails find the locks free and the
 *            cells as they were: yes.
 *   stage 2  A partial order on the ideal, grown by rules to a fixpoint
 *            (analyze/order.c). A cycle: no. Then a greedy line-up in trace order
 *            (analyze/lineup.c). It fits: yes.
 *   stage 3  What the line-up got stuck at is a choice of two orders. Each is
 *            tried; both fail: no.
 *
 * Questions about one read come in a row, and what one found out helps the next:
 * a line-up for one challenger is gone on with for another that needs all of it,
 * and the rules that led to a "no" are tried first. Where a line-up is stuck in a
 * circle, all but one of whose members have to wait, that one is settled at once.
 * Nothing of this changes an answer.
 *
 * One engine serves one thread; the index is shared and read only. */
#ifndef HD_ENGINE_H
#define HD_ENGINE_H

#include "analyze/feas.h"

enum hd_engine_answer { HD_ENGINE_NO, HD_ENGINE_YES, HD_ENGINE_UNKNOWN };

struct hd_tail { uint32_t thread, from, to; };

/* What a question adds to the must-clocks: from index `from` of the thread on, `clock` of the pool is joined. */
struct hd_mark { uint32_t from, clock; };
struct hd_marks { struct hd_mark *mark; uint32_t count, room; };
struct hd_range { uint32_t thread, from, to; };

/* A thread left behind by the line-up: no use to ask before `thread` has made `count` items. */
struct hd_behind { uint32_t thread, until_thread, until; };

/* A yes: the ideal `part` below `cut` in trace order, then these. */
struct hd_line { uint32_t *part, cut, *item; size_t items, room; };

/* What the last line-up that fits is about: a lone read; HD_NO_INDEX if none stands. */
struct hd_standing { uint32_t read, cell; };

/* Items whose rules were tried because they keep a line-up from going on. */
struct hd_trail { uint32_t item[256], count; };

/* Stage 3 by value: that read sees that write. HD_LOOSE: nothing was said yet. */
struct hd_chosen { uint32_t read, cell, write; };
#define HD_LOOSE (HD_NO_INDEX - 1)

struct hd_engine {
    const struct hd_index *x;
    const struct hd_clocks *must;
    bool by_value, plain; /* plain: all rules before any line-up, and nothing of what follows */
    uint32_t threads;
    /* the question */
    const struct hd_query *q;
    uint32_t cell;    /* the freed read's */
    uint32_t *ideal;  /* per thread: items in it */
    uint32_t *cap;    /* per thread: items it may have */
    bool *stands;     /* per thread: has a frontier event, at cap */
    const char *stage;
    /* the ideal of the last frontier, which many questions share */
    uint32_t base_of, *base;
    bool base_fails;
    struct hd_line tails, line; /* of stage 1, and of the line-up */
    const struct hd_line *said; /* the one that is the last yes */
    /* stage 2 */
    struct hd_marks *marks; /* per thread */
    uint32_t *pool;
    size_t pooled, pool_room, frozen; /* clocks below `frozen` are not changed any more, but replaced */
    struct hd_range *queue; /* where rules are to be tried; an item of it while its bit is set */
    size_t head, tail, queue_room;
    uint64_t *pending;
    uint32_t stamp, *fired; /* per item: the question in which its rules were tried after it had moved */
    uint32_t *source; /* per thread: what an edge brings */
    uint32_t *fresh;
    size_t freshes, fresh_room;
    uint32_t cut; /* below it, no edge contradicts the trace order */
    struct hd_trail trail, lesson; /* of this question, and of the last one that ended with no */
    /* line-up */
    uint32_t *next, line_stamp, *cell_stamp, *cell_writer, *lock_stamp, *lock_sharers;
    bool *lock_owned; /* not by sharers */
    uint32_t *cell_disturbed, *lock_disturbed; /* the line-up in which some item was left behind */
    uint32_t *follows; /* per thread: items below it have nothing before them that was left behind */
    struct hd_behind *behind;
    uint32_t behinds;
    struct hd_standing standing;
    bool going_on; /* with the one that stands */
    uint32_t branches;
    uint64_t effort; /* items lined up in this question */
    /* stage 3 by value */
    struct hd_chosen *chosen;
    uint32_t chosens, chosen_room;
};

struct hd_engine *hd_engine_new(const struct hd_index *, bool by_value);
void hd_engine_free(struct hd_engine *);

/* `cell` of the freed read is the one whose last write is to be the challenger. */
enum hd_engine_answer hd_engine_ask(struct hd_engine *, const struct hd_query *, uint32_t cell);

/* Forgets what questions found out for others: answers then do not depend on what was asked before. */
void hd_engine_forget(struct hd_engine *);

/* After a yes: the order, as positions. */
void hd_engine_order(const struct hd_engine *, struct hd_answer *);

/* Challengers of `thread` that stage 0 leaves: indexes in the thread from *low to below *high. */
void hd_engine_interval(struct hd_engine *, uint32_t r, uint32_t cell, uint32_t thread, uint32_t *low,
                        uint32_t *high);

/* Shared by the stages. */
bool hd_engine_raise(const struct hd_engine *, uint32_t *ideal, uint32_t item);
uint32_t hd_engine_last_write(const struct hd_engine *, const uint32_t *ideal, uint32_t cell); /* in trace order */
uint32_t hd_engine_last_take(const struct hd_engine *, const struct hd_track *, uint32_t bound, bool shared);
bool hd_engine_tails(struct hd_engine *);                  /* stage 1 */
enum hd_engine_answer hd_engine_saturate(struct hd_engine *); /* stages 2 and 3 */

/* analyze/marks.c: clocks of this question. They are transitively closed and grow along a thread. */
void hd_marks_reset(struct hd_engine *);
bool hd_marks_moved(const struct hd_engine *, uint32_t item); /* is its clock more than its must-clock? */
uint32_t hd_marks_first(const struct hd_engine *, uint32_t thread, const struct hd_item *); /* after that item */
/* e->source into the thread's items from `from` on; those it is news for are queued. */
void hd_marks_join(struct hd_engine *, uint32_t thread, uint32_t from);
void hd_marks_queue(struct hd_engine *, uint32_t thread, uint32_t from, uint32_t to);
uint32_t hd_marks_next(struct hd_engine *); /* queued item, or HD_NO_INDEX */
bool hd_marks_take(struct hd_engine *, uint32_t item); /* from the queue; false: it was not there */
bool hd_marks_settled(const struct hd_engine *); /* nothing is queued */
void hd_marks_drop_queue(struct hd_engine *);
struct hd_saved;
struct hd_saved *hd_marks_save(struct hd_engine *);
void hd_marks_restore(struct hd_engine *, const struct hd_saved *);
void hd_marks_forget(struct hd_engine *, struct hd_saved *);

/* analyze/order.c; false: a contradiction. */
bool hd_order_start(struct hd_engine *);
bool hd_order_add(struct hd_engine *, uint32_t before, uint32_t after);
bool hd_order_settle(struct hd_engine *, uint32_t firings); /* so many at most */
bool hd_order_fire(struct hd_engine *, uint32_t item); /* the rules of one item */
uint32_t hd_outermost(const struct hd_index *, uint32_t item);
uint32_t hd_order_write_after(const struct hd_engine *, const struct hd_track *, uint32_t write); /* the first, or HD_NO_INDEX */

/* analyze/sources.c */
uint32_t hd_source_of(const struct hd_engine *, uint32_t read, uint32_t cell); /* a write, HD_NO_INDEX: initial, HD_LOOSE */
bool hd_source_serves(const struct hd_engine *, uint32_t read, uint32_t cell, uint32_t write);
uint32_t hd_sources_cut(const struct hd_engine *); /* below it, the ideal's reads find in trace order what they need */
bool hd_source_rules(struct hd_engine *, uint32_t read, uint32_t cell);    /* of a chosen one; false: a contradiction */
bool hd_sources_before(struct hd_engine *, uint32_t write, uint32_t cell); /* chosen reads of writes before that one */
uint32_t *hd_sources_list(const struct hd_engine *, uint32_t read, uint32_t cell, uint32_t *count, bool *complete);
void hd_source_choose(struct hd_engine *, uint32_t read, uint32_t cell, uint32_t write);

/* The clock of the mark that holds at this index, or NULL. */
static inline const uint32_t *hd_mark_at(const struct hd_engine *e, uint32_t thread, uint32_t index)
{
    const struct hd_marks *m = &e->marks[thread];
    if (!m->count || m->mark[0].from > index)
        return NULL;
    uint32_t low = 0, high = m->count;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (m->mark[mid].from <= index)
            low = mid;
        else
            high = mid;
    }
    return e->pool + (size_t)m->mark[low].clock * e->threads;
}

static inline uint32_t hd_order_clock(const struct hd_engine *e, uint32_t item, uint32_t thread)
{
    const struct hd_item *it = &e->x->item[item];
    if (it->thread == thread)
        return it->index + 1;
    uint32_t must = hd_clock_row(e->x, e->must, item)[thread];
    const uint32_t *mark = hd_mark_at(e, it->thread, it->index);
    return mark && mark[thread] > must ? mark[thread] : must;
}

static inline const struct hd_tracks *hd_engine_readers(const struct hd_engine *e)
{
    return e->by_value ? &e->x->sure_readers : &e->x->readers;
}

static inline bool hd_in_ideal(const struct hd_engine *e, uint32_t item)
{
    return e->x->item[item].index < e->ideal[e->x->item[item].thread];
}

/* analyze/lineup.c */
enum hd_lineup { HD_FITS, HD_STUCK };
/* Why an item may not go: where known, because before[0] < after[0] or before[1] < after[1] is open. Not before
 * `thread` has made `until` items. Or because the loose read `read` does not find its value in `cell`. */
struct hd_choice { uint32_t before[2], after[2]; bool known; uint32_t thread, until; bool loose; uint32_t read, cell; };
enum hd_lineup hd_lineup(struct hd_engine *, struct hd_choice *);
/* Goes on with the line-up that stands, where it can be the beginning of one for this question. */
bool hd_lineup_go_on(struct hd_engine *);
/* Of a line-up that is stuck: the item at which the n-th thread of e->behind was left, and why; why->until is 0 where
 * it might go on, and the line-up was over before it did. */
uint32_t hd_lineup_behind(struct hd_engine *, uint32_t n, struct hd_choice *why);

#endif
