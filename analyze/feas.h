/* SPDX-License-Identifier: Apache-2.0
 * FEAS, the one question: is there a correct reordering after which the
 * frontier events are all next, and (for a freed read) the challenger is the
 * last write of a cell in which it differs?
 *
 * Kept reads keep their values (their writers where the trace has no values, or
 * it is asked for). The staged engine (analyze/engine.h) is asked first, by
 * writer: its yes is a yes. Its no is the answer where writers are to be kept;
 * else it is asked again, by value. What no engine can tell, for it has too many
 * choices or rules that the engine does not know in full, is searched state by
 * state (analyze/search.h). All of this is exact; "open" comes from the budget.
 *
 * The order of a witness has the fewest context switches, unless finding that
 * out takes too many states. */
#ifndef HD_FEAS_H
#define HD_FEAS_H

#include "analyze/analyze.h"
#include "analyze/index.h"

#define HD_DEFAULT_STATES 2000000u
#define HD_DEFAULT_WORDS (64u << 20)

struct hd_query {
    const uint32_t *frontier; /* items, one a thread */
    uint32_t frontiers;
    uint32_t freed;      /* the frontier item that is a freed read, or HD_NO_INDEX */
    uint32_t challenger; /* its wanted writer; HD_NO_INDEX: the initial contents */
    uint32_t include;    /* an item that is to be done, or HD_NO_INDEX */
    const uint32_t *also; /* more such items */
    uint32_t alsos;
    uint32_t exclude;    /* a later item of its thread that is not to be, or HD_NO_INDEX */
    bool ring;           /* frontier i requests what the thread of i+1 holds */
    bool stuck;          /* no frontier item can be made: each has to wait */
    uint64_t budget; /* states of the search; 0: default, and as many as `words` hold */
    uint64_t words;  /* of all states together; 0: default */
    const volatile sig_atomic_t *stop; /* not 0: leave it open; or NULL */
};

struct hd_answer {
    enum hd_decision decision;
    const char *stage;
    uint64_t *order; /* positions; the freed read last */
    size_t count;
    uint64_t words; /* that the search used */
};

/* One a thread; the index is shared. */
struct hd_solver;
struct hd_solver *hd_solver_new(const struct hd_index *);
void hd_solver_free(struct hd_solver *);

/* An order only where it is wanted; with few context switches where there is time for that. */
enum hd_wanted { HD_VERDICT, HD_ORDER, HD_SHORT_ORDER };
void hd_feas(struct hd_solver *, const struct hd_query *, enum hd_wanted, struct hd_answer *);

/* Forgets what helps with questions like the last ones, so that answers do not depend on what was asked before. */
void hd_feas_forget(struct hd_solver *);

/* The next question without short cuts. */
void hd_feas_plainly(struct hd_solver *);

/* Challengers of `thread` for that cell of r outside *low up to below *high are impossible. */
void hd_feas_interval(struct hd_solver *, uint32_t r, uint32_t cell, uint32_t thread, uint32_t *low, uint32_t *high);

/* Would the freed read see something else in this cell? */
bool hd_feas_differs(const struct hd_index *, uint32_t read, uint32_t challenger, uint32_t cell);

/* Is the request blocked by what this item's thread holds there? */
bool hd_feas_blocks(const struct hd_index *, uint32_t holder, uint32_t request);

/* What a frontier item needs to be next: a join that waits needs nothing, nor does a once. */
static inline uint32_t hd_frontier_needs(const struct hd_index *x, const struct hd_item *it)
{
    unsigned kind = x->trace->event[it->position].kind;
    return kind == HD_JOIN || kind == HD_ONCE_PASS ? it->need : it[1].need;
}

/* analyze/search.c: the bounds between which a witness is sought. */
struct hd_cone {
    uint32_t *limit;    /* per thread: no item from here on is of use */
    uint32_t *must;     /* per thread: items that are in every witness */
    uint32_t *frontier; /* per thread: item index to stand at, or HD_NO_INDEX */
    uint32_t *cap;      /* per thread: item index not to pass, or HD_NO_INDEX */
};

/* Decides; the order only where it is wanted. */
void hd_search(const struct hd_index *, const struct hd_query *, const struct hd_cone *, bool want_order,
               struct hd_answer *);
/* Replaces the order of a witness by one with the fewest context switches, if that is soon found. */
void hd_search_polish(const struct hd_index *, const struct hd_query *, const struct hd_cone *, struct hd_answer *);

#endif
