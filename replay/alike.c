/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/alike.h"

#include <string.h>

#include "proto/memory.h"
#include "replay/verdict.h"

/* Events up to the first failed assertion; all, where none failed. */
static size_t until_failure(const struct hd_trace *t)
{
    for (size_t i = 0; i < t->notes; i++)
        if (t->note[i].failed && t->note[i].position < t->events)
            return t->note[i].position + 1;
    return t->events;
}

static bool same_site(const struct hd_trace *a, uint32_t x, const struct hd_trace *b, uint32_t y)
{
    if (x >= a->sites || y >= b->sites)
        return x >= a->sites && y >= b->sites;
    return a->site[x].offset == b->site[y].offset;
}

/* That a thread was found outside is the watchdog's note, by the clock; what it does there is not an event. */
static size_t next_event(const struct hd_trace *t, size_t at, size_t end)
{
    while (at < end && t->event[at].kind == HD_WENT_OUTSIDE)
        at++;
    return at;
}

static bool same_event(const struct hd_trace *a, const struct hd_event *x, const struct hd_trace *b,
                       const struct hd_event *y)
{
    return x->kind == y->kind && x->n == y->n && x->k == y->k && x->size == y->size && x->object == y->object &&
           strcmp(a->thread[x->thread].path, b->thread[y->thread].path) == 0 && same_site(a, x->site, b, y->site);
}

static char *event_difference(const struct hd_trace *a, const struct hd_trace *b)
{
    size_t end = until_failure(a), other_end = until_failure(b);
    size_t i = next_event(a, 0, end), k = next_event(b, 0, other_end);
    while (i < end && k < other_end) {
        const struct hd_event *x = &a->event[i], *y = &b->event[k];
        if (!same_event(a, x, b, y))
            return hd_format("event %zu is %s's %s, was %s's %s", k, b->thread[y->thread].path, hd_kind_word(y->kind),
                             a->thread[x->thread].path, hd_kind_word(x->kind));
        i = next_event(a, i + 1, end);
        k = next_event(b, k + 1, other_end);
    }
    return i == end && k == other_end ? NULL : hd_format("%zu events up to the end, were %zu", other_end, end);
}

char *hd_replay_difference(const struct hd_replay *a, const struct hd_replay *b)
{
    if (a->kind != b->kind || a->outcome != b->outcome || a->detail != b->detail || strcmp(a->text, b->text) != 0)
        return hd_format("%s: %s", hd_verdict_word(b->kind), b->text);
    return a->trace && b->trace ? event_difference(a->trace, b->trace) : NULL;
}
