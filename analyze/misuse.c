// SPDX-License-Identifier: Apache-2.0
// Locks used against the rules. In the recording itself: released by a thread that
// does not hold it, still held when its thread ends, requested again by its holder.
// In the recording or another order of it: destroyed while held, or before its last
// use.
#include <stdlib.h>

#include "analyze/run.h"
#include "proto/memory.h"

struct book { /* who holds what, as far as the events tell */
    uint32_t *lock, *thread, *depth;
    size_t count, size;
};

static size_t place(const struct book *b, uint32_t lock, uint32_t thread)
{
    size_t at = (lock * 0x9e3779b9u ^ thread * 0x85ebca6bu) & (b->size - 1);
    while (b->lock[at] && (b->lock[at] != lock + 1 || b->thread[at] != thread))
        at = (at + 1) & (b->size - 1);
    return at;
}

static uint32_t *depth_of(struct book *b, uint32_t lock, uint32_t thread)
{
    if (2 * b->count >= b->size) {
        struct book old = *b;
        b->size = old.size ? old.size * 2 : 256;
        b->lock = hd_alloc(b->size * sizeof *b->lock);
        b->thread = hd_alloc(b->size * sizeof *b->thread);
        b->depth = hd_alloc(b->size * sizeof *b->depth);
        for (size_t i = 0; i < old.size; i++)
            if (old.lock[i]) {
                size_t at = place(b, old.lock[i] - 1, old.thread[i]);
                b->lock[at] = old.lock[i];
                b->thread[at] = old.thread[i];
                b->depth[at] = old.depth[i];
            }
        free(old.lock);
        free(old.thread);
        free(old.depth);
    }
    size_t at = place(b, lock, thread);
    b->count += !b->lock[at];
    b->lock[at] = lock + 1;
    b->thread[at] = thread;
    return &b->depth[at];
}

static struct hd_candidate misuse(const uint32_t *item, uint32_t items, uint32_t after, const char *pattern)
{
    return (struct hd_candidate){.column = "misuse", .kind = "misuse", .pattern = pattern,
                                 .r = HD_NO_INDEX, .w = HD_NO_INDEX, .c = after, .before_w = HD_NO_INDEX,
                                 .request = item, .requests = items};
}

static void report(struct hd_worker *w, uint32_t item, const char *pattern)
{
    struct hd_candidate q = misuse(&item, 1, HD_NO_INDEX, pattern);
    q.recorded = true;
    hd_worker_accept(w, &q, "recorded");
}

/* Does `item` come before that one in every run? */
static bool precedes(const struct hd_index *x, uint32_t item, uint32_t other)
{
    return hd_clock(x, hd_must(x), other, x->item[item].thread) > x->item[item].index;
}

/* Can the object be destroyed first, or while the other thread is in its section? */
static void destroyed_before(struct hd_worker *w, uint32_t destroy, uint32_t use)
{
    const struct hd_index *x = w->index;
    struct hd_candidate after = misuse(&use, 1, destroy, "use after destruction");
    if (precedes(x, use, destroy))
        hd_worker_reject(w, &after, "stage0");
    else
        hd_worker_ask(w, &after);
    if (x->item[use].class != HD_TAKE || x->item[use].partner == HD_NO_INDEX)
        return;
    uint32_t pair[2] = {destroy, x->item[use].partner};
    struct hd_candidate held = misuse(pair, 2, HD_NO_INDEX, "destruction while held");
    if (precedes(x, pair[1], destroy))
        hd_worker_reject(w, &held, "stage0");
    else
        hd_worker_ask(w, &held);
}

static void destroyed(struct hd_worker *w, uint32_t destroy)
{
    const struct hd_index *x = w->index;
    const struct hd_tracks *uses[] = {&x->takes, &x->waits, &x->signals, &x->posts, &x->passes};
    uint32_t object = x->item[destroy].object;
    if (w->trace->event[x->item[destroy].position].value)
        report(w, destroy, "destruction while held");
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        for (uint32_t n = uses[i]->first[object]; n < uses[i]->first[object + 1]; n++) {
            const struct hd_track *t = &uses[i]->track[n];
            for (uint32_t k = t->from; t->thread != x->item[destroy].thread && k < t->to; k++)
                destroyed_before(w, destroy, hd_item_at(x, t->thread, uses[i]->at[k]));
        }
}

/* Threads that the recording leaves waiting for a lock of their own. */
static void self_deadlocks(struct hd_worker *w)
{
    const struct hd_index *x = w->index;
    uint32_t *waits = hd_alloc(((size_t)x->threads + 1) * sizeof *waits); /* 1 + the lock */
    for (size_t i = 0; i < w->trace->events; i++) {
        const struct hd_event *e = &w->trace->event[i];
        if (hd_kind_is_sync(e->kind) || e->kind == HD_BLOCKED)
            waits[e->thread] = e->kind == HD_BLOCKED && e->object < x->objects ? e->object + 1 : 0;
    }
    for (uint32_t t = 0; t < x->threads; t++) {
        uint32_t node = waits[t] ? hd_index_find_held(x, x->held_at_end[t], waits[t] - 1) : HD_NO_INDEX;
        if (node != HD_NO_INDEX)
            report(w, x->held[node].take, "self-deadlock");
    }
    free(waits);
}

static size_t units(const struct hd_index *x)
{
    return x->items ? 1 : 0;
}

static void unit(struct hd_worker *w, size_t n)
{
    const struct hd_index *x = w->index;
    struct book b = {0};
    (void)n;
    for (uint32_t i = 0; i < x->items; i++) {
        const struct hd_item *it = &x->item[i];
        const struct hd_event *e = &w->trace->event[it->position];
        if (e->kind == HD_END && it->held != HD_NO_INDEX)
            report(w, i, "end while holding");
        if (e->object >= x->objects)
            continue;
        if (e->kind == HD_DESTROY)
            destroyed(w, i);
        if (e->kind == HD_LOCK || e->kind == HD_RDLOCK || e->kind == HD_WRLOCK)
            ++*depth_of(&b, e->object, e->thread);
        if (e->kind == HD_COND_WAIT && e->value - 1 < x->objects && *depth_of(&b, (uint32_t)e->value - 1, e->thread))
            --*depth_of(&b, (uint32_t)e->value - 1, e->thread);
        if (e->kind != HD_UNLOCK && e->kind != HD_RWUNLOCK)
            continue;
        if (*depth_of(&b, e->object, e->thread))
            --*depth_of(&b, e->object, e->thread);
        else
            report(w, i, "release by a stranger");
    }
    self_deadlocks(w);
    free(b.lock);
    free(b.thread);
    free(b.depth);
}

const struct hd_kind_of_finding hd_misuse = {HD_KINDS_MISUSE, "misuse", units, unit};
