// SPDX-License-Identifier: Apache-2.0
// Which finding comes first: by what it is, then by what it changes.
#include <string.h>

#include "analyze/run.h"

enum { POINTER, VALUE, UNKNOWN, NOTHING, CHANGES };

/* As Linux lays memory out. */
static bool is_address(const struct hd_event *e, uint64_t value)
{
    return e->size == 8 && value >= 1ull << 44 && value < 1ull << 48;
}

static uint64_t left_by(const struct hd_event *e)
{
    return e->kind == HD_ATOMIC_RMW ? e->second : e->value;
}

/* What is in the one event's place if the other has its way. */
static unsigned change(const struct hd_event *seen, const struct hd_event *instead)
{
    uint64_t before = seen->value, after = left_by(instead);
    if (is_address(seen, before) || is_address(instead, after))
        return before == after ? NOTHING : POINTER;
    return before == after ? NOTHING : VALUE;
}

static unsigned changes(const struct hd_run *run, const struct hd_candidate *q)
{
    const struct hd_event *event = run->trace->event;
    const struct hd_item *item = run->index->item;
    bool race = q->requests == 2 && strcmp(q->kind, "race") == 0;
    if (!run->trace->has_values || (q->requests && !race))
        return UNKNOWN;
    if (race)
        return change(&event[item[q->request[0]].position], &event[item[q->request[1]].position]);
    const struct hd_event *r = &event[item[q->r].position];
    if (q->c != HD_NO_INDEX)
        return change(r, &event[item[q->c].position]);
    return is_address(r, r->value) ? POINTER : VALUE;
}

unsigned hd_rank(const struct hd_run *run, const struct hd_candidate *q)
{
    static const struct { const char *kind, *pattern; } ranks[] = {
        {"memory", NULL}, {"deadlock", NULL}, {"atomicity", "lost update"}, {"wakeup", NULL},
        {"atomicity", NULL}, {"nondet", NULL}, {"race", NULL}};
    unsigned i = 0, count = sizeof ranks / sizeof *ranks;
    while (i < count && (strcmp(q->kind, ranks[i].kind) != 0 ||
                         (ranks[i].pattern && strcmp(q->pattern, ranks[i].pattern) != 0)))
        i++;
    return i * CHANGES + changes(run, q);
}
