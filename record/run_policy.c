/* SPDX-License-Identifier: Apache-2.0
 * Record's policy: a thread runs until it blocks. With a seed, it may be
 * switched away from at a scheduling point, one time in four, and before some
 * accesses between two of them. */
#include "record/runtime.h"

#define ACCESSES 24 /* of an interval, within which a thread may be switched away from */

static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Dull >> 33;
}

static struct hd_thread *random_ready(struct hd_thread *self)
{
    struct hd_thread *t = self;
    for (uint64_t skip = draw() % hd_run.threads; t && skip; skip--)
        t = hd_next_ready(t);
    return t && t != self && t->state == HD_READY ? t : hd_next_ready(self);
}

static void begin(void)
{
    state = hd_run.shared->seed * 0x9E3779B97F4A7C15ull + 1;
}

static void created(struct hd_thread *t)
{
    (void)t;
}

static struct hd_thread *at(struct hd_thread *self, const struct hd_point *point)
{
    struct hd_thread *next = NULL;
    if (hd_kind_is_access(point->kind))
        self->stop_k = hd_run.shared->quantum;
    if (point->kind == HD_QUANTUM || point->kind == HD_YIELD)
        next = hd_next_ready(self);
    else if (hd_run.shared->seed && draw() % 4 == 0)
        next = random_ready(self);
    return next ? next : self;
}

static struct hd_thread *next(struct hd_thread *self, const struct hd_point *point)
{
    (void)point;
    return hd_run.shared->seed ? random_ready(self) : hd_next_ready(self);
}

static void made(struct hd_thread *self, const struct hd_point *point)
{
    (void)point;
    if (hd_run.shared->seed && draw() % 4 == 0)
        self->stop_k = (uint32_t)(draw() % ACCESSES);
}

static bool silent(void)
{
    return !hd_run.shared->seed;
}

const struct hd_policy hd_run_policy = { "run", begin, created, at, next, made, NULL, NULL, silent };
