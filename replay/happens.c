/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/happens.h"

#include <stdlib.h>

#include "proto/memory.h"

struct knowledge {
    const struct hd_trace *trace;
    bool *thread;
    bool *object, *by_writer; /* told by anybody; by who held it for writing */
    uint32_t *writer;         /* rwlocks: who holds it for writing */
    uint64_t *atomic;         /* addresses of atomics that know */
    size_t atomics, room;
    bool fences;
};

static bool atomic_knows(const struct knowledge *k, const struct hd_event *e)
{
    for (size_t i = 0; i < k->atomics; i++)
        if (k->atomic[i] < e->address + e->size && e->address < k->atomic[i] + 8)
            return true;
    return false;
}

static void tell_atomic(struct knowledge *k, const struct hd_event *e)
{
    if (!k->thread[e->thread] || atomic_knows(k, e))
        return;
    HD_GROW(k->atomic, k->atomics, k->room);
    k->atomic[k->atomics++] = e->address;
}

static void tell(struct knowledge *k, uint32_t object, uint32_t thread)
{
    if (object < k->trace->objects)
        k->object[object] |= k->thread[thread];
}

static void learn(struct knowledge *k, uint32_t object, uint32_t thread)
{
    if (object < k->trace->objects)
        k->thread[thread] |= k->object[object];
}

static void rwlock(struct knowledge *k, const struct hd_event *e)
{
    if (e->object >= k->trace->objects)
        return;
    if (e->kind == HD_RDLOCK)
        k->thread[e->thread] |= k->by_writer[e->object];
    else if (e->kind == HD_WRLOCK) {
        learn(k, e->object, e->thread);
        k->writer[e->object] = e->thread;
    } else {
        tell(k, e->object, e->thread);
        if (k->writer[e->object] == e->thread) {
            k->by_writer[e->object] |= k->object[e->object];
            k->writer[e->object] = HD_NO_INDEX;
        }
    }
}

static void atomic(struct knowledge *k, const struct hd_event *e)
{
    if (e->kind != HD_ATOMIC_STORE)
        k->thread[e->thread] |= atomic_knows(k, e);
    if (e->kind != HD_ATOMIC_LOAD)
        tell_atomic(k, e);
}

static void between_threads(struct knowledge *k, const struct hd_event *e)
{
    if (e->value >= k->trace->threads)
        return;
    if (e->kind == HD_JOIN)
        k->thread[e->thread] |= k->thread[e->value];
    else
        k->thread[e->value] |= k->thread[e->thread];
}

static void fence(struct knowledge *k, const struct hd_event *e)
{
    k->thread[e->thread] |= k->fences;
    k->fences |= k->thread[e->thread];
}

static void step(struct knowledge *k, const struct hd_event *e)
{
    switch (e->kind) {
    case HD_CREATE:
    case HD_CANCEL:
    case HD_JOIN: between_threads(k, e); break;
    case HD_LOCK:
    case HD_SEM_WAIT:
    case HD_BARRIER_EXIT:
    case HD_ONCE_PASS:
    case HD_HB_AFTER: learn(k, e->object, e->thread); break;
    case HD_UNLOCK:
    case HD_SIGNAL:
    case HD_BROADCAST:
    case HD_SEM_POST:
    case HD_BARRIER_ENTER:
    case HD_ONCE_END:
    case HD_HB_BEFORE: tell(k, e->object, e->thread); break;
    case HD_COND_WAIT:
        if (e->value)
            tell(k, (uint32_t)e->value - 1, e->thread);
        break;
    case HD_COND_WAKE:
        if (e->value)
            learn(k, e->object, e->thread);
        break;
    case HD_RDLOCK:
    case HD_WRLOCK:
    case HD_RWUNLOCK: rwlock(k, e); break;
    case HD_ATOMIC_LOAD:
    case HD_ATOMIC_STORE:
    case HD_ATOMIC_RMW: atomic(k, e); break;
    case HD_FENCE: fence(k, e); break;
    default: break;
    }
}

bool hd_happens_before(const struct hd_trace *t, size_t a, size_t b)
{
    struct knowledge k = { .trace = t };
    k.thread = hd_alloc(t->threads + 1);
    k.object = hd_alloc(t->objects + 1);
    k.by_writer = hd_alloc(t->objects + 1);
    k.writer = hd_alloc((t->objects + 1) * sizeof *k.writer);
    for (size_t i = 0; i < t->objects; i++)
        k.writer[i] = HD_NO_INDEX;
    /* Who holds an rwlock for writing is known from the start; of the event, nobody is told before it. */
    for (size_t i = 0; i < b; i++) {
        step(&k, &t->event[i]);
        if (i == a)
            k.thread[t->event[a].thread] = true;
    }
    bool known = k.thread[t->event[b].thread];
    free(k.thread);
    free(k.object);
    free(k.by_writer);
    free(k.writer);
    free(k.atomic);
    return known;
}
