/* SPDX-License-Identifier: Apache-2.0
 * The short way through a synchronization event. Tests lock and unlock all the
 * time, and mostly there is nothing to be done on the way in (no access to
 * complete, no policy that has a word, nobody to give way to) and little on the
 * way out: one record. What is not plain takes the long way, in baton.c.
 *
 * A point is shown to others as a copy, so that it can stay in registers here.
 *
 *   hd_sync_enter(self, point)        as hd_sync_begin
 *   ... operate the real primitive without blocking ...
 *   hd_sync_leave(self, point, value) as hd_sync_made
 */
#ifndef HD_SYNC_H
#define HD_SYNC_H

#include "record/baton.h"

/* Events that may change nothing, if their thread wrote nothing since the last one. */
static inline bool hd_may_change_nothing(unsigned kind)
{
    switch (kind) {
    case HD_LOCK: case HD_UNLOCK: case HD_TRYLOCK_FAIL: case HD_RDLOCK: case HD_WRLOCK: case HD_RWUNLOCK:
    case HD_TRYRDLOCK_FAIL: case HD_TRYWRLOCK_FAIL: case HD_SEM_FAIL: case HD_JOIN_FAIL: case HD_YIELD:
    case HD_QUANTUM: case HD_ATOMIC_LOAD: case HD_ATOMIC_RMW: case HD_FENCE: case HD_ONCE_PASS:
        return true;
    default:
        return false;
    }
}

#define HD_QUANTUM_WEIGHT 50

static inline void hd_progress_made(struct hd_thread *self, unsigned kind)
{
    self->turn++;
    hd_run.events++;
    if (self->wrote || !hd_may_change_nothing(kind)) {
        self->wrote = false;
        self->idle = hd_run.idle_events = 0;
        return;
    }
    uint32_t weight = kind == HD_QUANTUM ? HD_QUANTUM_WEIGHT : 1;
    self->idle += weight;
    hd_run.idle_events += weight;
}

static inline bool hd_enters_plainly(const struct hd_thread *t, unsigned kind)
{
    return hd_run.silent && kind != HD_QUANTUM && kind != HD_YIELD && !t->filter_used && hd_access_is_clean(t) &&
           !t->missed_signal && !hd_baton.drainer && !hd_progress_is_due(t);
}

static inline __attribute__((always_inline)) void hd_sync_enter(struct hd_thread *self, const struct hd_point *point)
{
    if (__builtin_expect(hd_enters_plainly(self, point->kind), 1)) {
        self->fast_until = 0;
        return;
    }
    struct hd_point shown = *point;
    hd_sync_begin(self, &shown);
}

/* The head moves on: the record is the parent's. */
static inline void hd_ring_advance(uint64_t head)
{
    struct hd_shared *s = hd_run.shared;
    head++;
    if (__builtin_expect(head % HD_RING_STRETCH == 0, 0))
        hd_ring_prepare(head);
    hd_run.ring[head % HD_RING_RECORDS].kind = HD_NONE;
    atomic_store_explicit(&s->head, head, memory_order_release);
    if (__builtin_expect(head % (HD_RING_RECORDS / 4) == 0, 0))
        hd_ring_bell();
}

static inline uint64_t hd_ring_head(void)
{
    uint64_t head = atomic_load_explicit(&hd_run.shared->head, memory_order_relaxed);
    if (__builtin_expect(head - hd_run.tail_seen >= HD_RING_ROOM, 0))
        hd_ring_wait(head);
    return head;
}

static inline __attribute__((always_inline)) void hd_sync_count(struct hd_thread *self, const struct hd_point *point)
{
    hd_baton.events_made++;
    self->n++;
    self->k = 0;
    self->stop_k = hd_run.shared->quantum;
    self->retrying = false;
    hd_progress_made(self, point->kind);
    if (hd_run.silent)
        return;
    struct hd_point shown = *point;
    hd_run.policy->made(self, &shown);
}

static inline __attribute__((always_inline)) void hd_sync_leave(struct hd_thread *self, const struct hd_point *point, uint64_t value)
{
    if (self->released)
        return;
    if (__builtin_expect(self->look.dropped, 0) && point->kind != HD_ATOMIC_LOAD)
        hd_atomic_flush(self);
    uint32_t stack = self->frames ? self->frame[self->frames - 1].node : 0;
    if (self->frames && !stack)
        stack = hd_stack_node(self);
    uint64_t head = hd_ring_head();
    struct hd_record *r = &hd_run.ring[head % HD_RING_RECORDS];
    *r = (struct hd_record){ .kind = (uint8_t)point->kind, .size = (uint8_t)point->size, .thread = self->id,
                             .stack = stack, .pc_k = point->pc & HD_48, .addr_k = point->object, .value = value };
    if (__builtin_expect(point->kind == HD_CREATE || point->kind == HD_JOIN, 0))
        hd_ring_tell_owner(r);
    hd_ring_advance(head);
    hd_sync_count(self, point);
}

#endif
