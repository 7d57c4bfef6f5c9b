/* SPDX-License-Identifier: Apache-2.0
 * Who can wait for whom: the graph whose cycles are deadlocks.
 *
 * A request is an item that may have to wait: an acquire, a join, a wait on a
 * semaphore or for a once, a wait on a condition that has begun. It waits for another thread
 * that stands at a request of its own where that one
 *   acquire    holds the lock, in a mode that excludes; a reader of a lock that
 *              prefers writers also waits for one who stands at it to write;
 *   join       is the thread;
 *   once       is inside the initialisation;
 *   semaphore  has still to post it: where one thread posts and one waits, the very
 *              post that is missing; where it is used as a mutex, the one that ends
 *              the section it is in;
 *   condition  has still to signal it.
 * This is necessary, and for locks and joins sufficient once all stand there; for
 * the others FEAS is asked whether they are stuck.
 *
 * Requests of one thread for one thing with the same locks held, and the same
 * posts and signals behind it, are alike: a class. Classes that cannot be in a
 * cycle are dropped. */
#ifndef HD_REQUESTS_H
#define HD_REQUESTS_H

#include "analyze/index.h"

struct hd_alike { uint32_t *item, count, room; uint64_t key; };

enum hd_semaphore_use { HD_SEMAPHORE_OTHER, HD_SEMAPHORE_MUTEX, HD_SEMAPHORE_PAIR };

struct hd_requests {
    const struct hd_index *x;
    struct hd_alike *alike;
    size_t alikes, room;
    uint8_t *use;             /* per object, of semaphores */
    struct { uint32_t begin, end; } *once; /* per object: the initialisation's items, or HD_NO_INDEX */
    struct hd_list *blockers; /* per class: the classes it can wait for */
    bool *cut;                /* per class: there may be more of them than were looked at */
    uint64_t looked;
};

void hd_requests_make(struct hd_requests *, const struct hd_index *);
void hd_requests_free(struct hd_requests *);

static inline const struct hd_item *hd_request_sample(const struct hd_requests *r, uint32_t alike)
{
    return &r->x->item[r->alike[alike].item[0]];
}

static inline bool hd_request_passes_once(const struct hd_index *x, const struct hd_item *it)
{
    return x->trace->event[it->position].kind == HD_ONCE_PASS;
}

static inline bool hd_request_joins(const struct hd_index *x, const struct hd_item *it)
{
    return x->trace->event[it->position].kind == HD_JOIN;
}

/* An acquire to read that a writer who waits keeps waiting, also where its thread reads already. */
static inline bool hd_request_gives_way(const struct hd_index *x, const struct hd_item *it)
{
    const struct hd_event *e = &x->trace->event[it->position];
    return e->kind == HD_RDLOCK && e->value;
}

/* Does the reader wait behind this writer, where both stand at their requests? */
static inline bool hd_request_is_behind(const struct hd_index *x, const struct hd_item *reader, const struct hd_item *writer)
{
    return hd_request_gives_way(x, reader) && writer->class == HD_TAKE && !writer->shared &&
           writer->object == reader->object && writer->thread != reader->thread;
}

#endif
