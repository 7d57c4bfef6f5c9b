// SPDX-License-Identifier: Apache-2.0
#include "analyze/expected.h"

#include <stdlib.h>

#include "proto/memory.h"

struct span { uint64_t low, high, from, to; }; /* bytes, and the positions between which they are that memory */

struct hd_expected {
    const struct hd_trace *t;
    struct span *span;
    size_t spans, room;
};

static bool known(const struct hd_expected *x, const struct hd_event *e, uint64_t position)
{
    for (size_t i = 0; i < x->spans; i++)
        if (x->span[i].low == e->address && x->span[i].high == e->address + e->value &&
            position >= x->span[i].from && position < x->span[i].to)
            return true;
    return false;
}

static bool renews(const struct hd_event *e, const struct span *s)
{
    return (e->kind == HD_ALLOC || e->kind == HD_FREE) && e->address < s->high && s->low < e->address + e->value;
}

struct hd_expected *hd_expected_new(const struct hd_trace *t)
{
    struct hd_expected *x = NULL;
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        if (e->kind != HD_EXPECT_RACE || e->value > UINT64_MAX - e->address)
            continue;
        if (!x) {
            x = hd_alloc(sizeof *x);
            x->t = t;
        }
        if (known(x, e, i))
            continue;
        struct span s = {e->address, e->address + e->value, i, i};
        while (s.from > 0 && !renews(&t->event[s.from - 1], &s))
            s.from--;
        while (s.to < t->events && !renews(&t->event[s.to], &s))
            s.to++;
        HD_GROW(x->span, x->spans, x->room);
        x->span[x->spans++] = s;
    }
    return x;
}

void hd_expected_free(struct hd_expected *x)
{
    if (x)
        free(x->span);
    free(x);
}

static bool within(const struct span *s, const struct hd_event *e, uint64_t position)
{
    return position >= s->from && position < s->to && e->address < s->high && s->low < e->address + e->size;
}

bool hd_expected_race(const struct hd_expected *x, uint64_t a, uint64_t b)
{
    for (size_t i = 0; x && i < x->spans; i++)
        if (within(&x->span[i], &x->t->event[a], a) && within(&x->span[i], &x->t->event[b], b))
            return true;
    return false;
}
