/* SPDX-License-Identifier: Apache-2.0
 * The events of a trace that matter to the question FEAS.
 *
 * An item is a synchronization event, an access to a shared cell, or the free of
 * a block that is shared, or has a lock or the like that others use. Cells are the
 * coarsest partition of bytes such that every access is a run of them; a cell that
 * one thread touches, or nobody writes, is dropped. A block that was allocated
 * anew, and the stack of a new thread, are new cells.
 *
 * A token stands for what a cell contains: the value where reads keep values,
 * else the write. Token 0 is the initial contents where unknown. An access has
 * one slot a cell; an atomic update has two runs of slots, what it read and what
 * it wrote. `token` and `writer` have one entry a slot.
 *
 * Kinds are reduced: see enum hd_class. What an item needs done before it in
 * every reordering (creation, end, barrier entries, once, annotations) is a list.
 *
 * Locks held are a persistent list: `held` of an item names the node of what its
 * thread holds just before it, each node one section and the node below.
 *
 * Tracks answer "which of these, by this thread, came before its n-th item": per
 * object and thread, sorted indexes in the thread. */
#ifndef HD_INDEX_H
#define HD_INDEX_H

#include "proto/trace.h"

enum hd_class {
    HD_INERT,  /* constrains nothing by itself */
    HD_ACCESS, /* reads, writes, or both at once */
    HD_TAKE,   /* of a lock; `shared` in read mode */
    HD_LEAVE,  /* ends a section */
    HD_WAITS,  /* on a condition; ends a section too */
    HD_WOKEN,  /* by a signal; a wait that timed out is inert but ends the waiting */
    HD_SIGNALS,
    HD_REFUSED, /* a failed try: somebody else holds the lock, in a mode that excludes */
    HD_POSTS,
    HD_PASSES, /* a semaphore */
    HD_EMPTY,  /* a semaphore was */
    HD_STILL,  /* a failed join: the thread has not ended */
    HD_ENDS,
    HD_FREES
};

struct hd_item {
    uint32_t position, thread, index; /* index among the items of its thread */
    uint32_t object;                  /* the lock, condition, semaphore; STILL: the END waited for */
    uint32_t partner;                 /* TAKE: what ends the section, and back; WOKEN: its WAITS */
    uint32_t cell, cells;             /* ACCESS: a run of cells; FREES: all of the block, where it is shared */
    uint32_t slot;
    uint32_t held;
    uint32_t need; /* first in hd_index.need, up to that of the next item */
    uint8_t class;
    bool reads, writes;
    bool shared; /* TAKE, REFUSED: read mode */
    bool all;    /* SIGNALS: a broadcast; WOKEN: not by a signal */
};

struct hd_cell {
    uint64_t low, size;
    uint32_t space;    /* 0, or the instance of block or stack */
    uint32_t initial;  /* token */
    uint32_t access, accesses; /* in hd_index.access, in trace order */
};

struct hd_held { uint32_t lock, take, below; bool shared; };

struct hd_list { uint32_t *item; uint32_t count; };

struct hd_track { uint32_t thread, from, to; };

struct hd_tracks {
    uint32_t *first; /* per object: tracks from first[o] to first[o + 1] */
    struct hd_track *track;
    uint32_t *at;
};

/* What precedes an item in every correct reordering that contains it, as counts of items a thread.
 * Items of a thread share a row until it changes; the entry of its own thread is its index + 1.
 * Rows only grow along a thread. */
struct hd_rows {
    uint32_t *entry; /* [row][thread] */
    uint32_t *start; /* per row: index in the thread of its first item */
    size_t rows, room;
};

struct hd_clocks {
    uint32_t *row; /* per item, in the rows of its thread */
    struct hd_rows *of; /* per thread */
};

struct hd_index {
    const struct hd_trace *trace;
    bool by_value;   /* kept reads keep values; else writers */
    bool same_value; /* a triplet counts although the value is the same */
    struct hd_item *item;
    uint32_t items, threads, objects, cells;
    struct hd_list *thread;
    uint32_t *thread_items;
    uint32_t *need;
    struct hd_held *held;
    uint32_t *held_at_end; /* per thread */
    uint32_t helds, held_room;
    struct hd_cell *cell;
    uint32_t *access;
    uint32_t *token, *writer; /* writer: the item that wrote what the slot read, HD_NO_INDEX = initial */
    uint32_t slots;
    uint32_t *token_first, *token_write; /* by value: the writes of a token */
    uint32_t *initial; /* per object: what a semaphore's count was */
    uint32_t *end;     /* per thread: END item */
    uint32_t *freed;   /* per object: the FREES of the block it lives in, or HD_NO_INDEX; NULL: no objects */
    uint32_t *wake;    /* per condition with one wait, one wake-up and one signal: that wake-up */
    uint32_t *signal;  /* and that signal; else HD_NO_INDEX */
    struct hd_tracks writes, reads, takes, posts, passes, empties, signals, waits, wakes, refused;
    struct hd_tracks readers; /* by write slot; of the initial contents by slots + cell */
    struct hd_tracks sure_readers; /* by value: those of them that no other write can serve */
    bool *loose;          /* by value, a slot: several writes can serve this read */
    uint32_t *loose_read; /* items with such a slot, in trace order */
    uint32_t loose_reads;
    bool has_still;
    struct hd_clocks must;      /* by writer */
    struct hd_clocks must_value; /* by value; only where by_value */
    bool intricate; /* has what only the search and the simulation know all about */
    uint32_t *nth;  /* see hd_index_nth; made at first use */
};

struct hd_index *hd_index_new(const struct hd_trace *, bool strict_writers, bool same_value);
void hd_index_free(struct hd_index *);

/* Node of what `thread` holds after its first `done` items, or HD_NO_INDEX. */
uint32_t hd_index_held(const struct hd_index *, uint32_t thread, uint32_t done);
/* The node of that lock in the list, or HD_NO_INDEX. */
uint32_t hd_index_find_held(const struct hd_index *, uint32_t node, uint32_t lock);

/* Which of its kind, from 1, the event is in its thread. */
uint32_t hd_index_nth(struct hd_index *, uint64_t position);

/* First item of that position or a later one. */
uint32_t hd_index_from(const struct hd_index *, uint64_t position);

static inline bool hd_touches(const struct hd_index *x, uint32_t item, uint32_t cell)
{
    return cell - x->item[item].cell < x->item[item].cells;
}

static inline uint32_t hd_read_slot(const struct hd_index *x, uint32_t item, uint32_t cell)
{
    return x->item[item].slot + (cell - x->item[item].cell);
}

static inline uint32_t hd_write_slot(const struct hd_index *x, uint32_t item, uint32_t cell)
{
    const struct hd_item *it = &x->item[item];
    return it->slot + (it->reads ? it->cells : 0) + (cell - it->cell);
}

static inline const uint32_t *hd_clock_row(const struct hd_index *x, const struct hd_clocks *c, uint32_t item)
{
    return c->of[x->item[item].thread].entry + (size_t)c->row[item] * x->threads;
}

static inline uint32_t hd_clock(const struct hd_index *x, const struct hd_clocks *c, uint32_t item, uint32_t thread)
{
    const struct hd_item *it = &x->item[item];
    return it->thread == thread ? it->index + 1 : hd_clock_row(x, c, item)[thread];
}

/* The first item of `thread`, as index, that has the item `index` of thread `of` before it; or its end. */
static inline uint32_t hd_clock_first(const struct hd_index *x, const struct hd_clocks *c, uint32_t thread,
                                      uint32_t of, uint32_t index)
{
    const struct hd_rows *r = &c->of[thread];
    size_t low = 0, high = r->rows;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (r->entry[mid * x->threads + of] <= index)
            low = mid + 1;
        else
            high = mid;
    }
    return low < r->rows ? r->start[low] : x->thread[thread].count;
}

/* Entries of the track below `bound`: their number; the last is at[from + number - 1]. */
static inline uint32_t hd_track_count(const struct hd_tracks *s, const struct hd_track *t, uint32_t bound)
{
    uint32_t low = t->from, high = t->to;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (s->at[mid] < bound)
            low = mid + 1;
        else
            high = mid;
    }
    return low - t->from;
}

static inline uint32_t hd_item_at(const struct hd_index *x, uint32_t thread, uint32_t index)
{
    return x->thread[thread].item[index];
}

static inline bool hd_excludes(bool shared_a, bool shared_b)
{
    return !shared_a || !shared_b;
}

static inline const struct hd_clocks *hd_must(const struct hd_index *x)
{
    return x->by_value ? &x->must_value : &x->must;
}

/* analyze/cells.c: the cells, and for every event of the trace the run of cells it touches. */
struct hd_run_of_cells { uint32_t cell, cells; };
struct hd_cell_map {
    uint32_t *range; /* per event: 1 + range, 0 = none */
    struct hd_run_of_cells *run;
};
void hd_cells_find(struct hd_index *, struct hd_cell_map *);

/* analyze/tracks.c */
void hd_tracks_build(const struct hd_index *, struct hd_tracks *, uint32_t objects,
                     bool (*wanted)(const struct hd_item *));
void hd_tracks_readers(const struct hd_index *, struct hd_tracks *, bool sure); /* sure: those alone */
void hd_tracks_free(struct hd_tracks *);

/* analyze/clock.c */
void hd_clock_compute(struct hd_index *);
void hd_sources_find(struct hd_index *); /* analyze/sources.c: which reads are loose */
void hd_clocks_free(struct hd_clocks *, uint32_t threads);

#endif
