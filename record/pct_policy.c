/* SPDX-License-Identifier: Apache-2.0
 * Recording by priorities: the ready thread with the highest one runs, and at a few points, drawn
 * beforehand from the length of a run, the running thread falls below all others. A failure that
 * needs d orderings is met with a chance that falls with the length only d - 1 times. */
#include "record/runtime.h"

#define CHANGES 3
#define ACCESSES 24 /* of an interval, within which a thread may be asked between two of its events */

static uint64_t state, step, change[CHANGES];
static uint64_t priority[HD_THREADS_MAX], lowest;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Dull >> 33;
}

static void set_stop(struct hd_thread *self, uint32_t from)
{
    uint64_t stop = from + 1 + draw() % ACCESSES;
    self->stop_k = draw() % 2 && stop < hd_run.shared->quantum ? (uint32_t)stop : hd_run.shared->quantum;
}

static void begin(void)
{
    uint64_t length = hd_run.shared->length ? hd_run.shared->length : 64;
    state = hd_run.shared->seed * 0x9E3779B97F4A7C15ull + 1;
    step = 0;
    lowest = 1u << 20;
    for (int i = 0; i < CHANGES; i++)
        change[i] = draw() % length;
    priority[0] = lowest + 1 + draw() % (1u << 20);
}

static void created(struct hd_thread *t)
{
    priority[t->id] = (1u << 20) + 1 + draw() % (1u << 20);
}

static struct hd_thread *highest(struct hd_thread *self, struct hd_thread *best)
{
    struct hd_thread *first = hd_next_ready(self), *t = first;
    for (uint32_t i = 0; t && i < hd_run.threads; i++) {
        if (!best || priority[t->id] > priority[best->id])
            best = t;
        t = hd_next_ready(t);
        if (t == first)
            break;
    }
    return best;
}

static struct hd_thread *at(struct hd_thread *self, const struct hd_point *point)
{
    bool falls = point->kind == HD_QUANTUM || point->kind == HD_YIELD; /* who spins must not starve the others */
    for (int i = 0; i < CHANGES; i++)
        falls |= change[i] == step;
    step++;
    if (hd_kind_is_access(point->kind))
        set_stop(self, self->k);
    if (falls)
        priority[self->id] = --lowest;
    return highest(self, self);
}

static struct hd_thread *next(struct hd_thread *self, const struct hd_point *point)
{
    (void)point;
    return highest(self, NULL);
}

static void made(struct hd_thread *self, const struct hd_point *point)
{
    (void)point;
    set_stop(self, 0);
}

const struct hd_policy hd_pct_policy = { "pct", begin, created, at, next, made, NULL, NULL, NULL };
