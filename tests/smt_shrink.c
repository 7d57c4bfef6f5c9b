// SPDX-License-Identifier: Apache-2.0
#include "tests/smt_shrink.h"

#include <string.h>

static bool asked_about(const struct smt_question *q, unsigned i)
{
    for (unsigned k = 0; k < q->events; k++)
        if (q->event[k] == i)
            return true;
    return false;
}

static struct made without(const struct made *m, const bool *drop, struct smt_question *q)
{
    struct made small = *m;
    const struct smt_question was = *q;
    small.t = hd_trace_new();
    small.t->has_values = m->t->has_values;
    for (unsigned i = 0; i < m->t->threads; i++)
        hd_trace_add_thread(small.t, m->t->thread[i].path, 0, 0);
    for (unsigned i = 0; i < m->t->objects; i++)
        hd_trace_add_object(small.t, m->t->object[i].kind, object_address(i));
    for (unsigned i = 0; i < m->t->events; i++) {
        for (unsigned k = 0; k < q->events; k++)
            if (was.event[k] == i)
                q->event[k] = (unsigned)small.t->events;
        if (drop[i])
            continue;
        small.first[small.t->events] = m->first[i];
        *hd_trace_add_event(small.t) = m->t->event[i];
    }
    return small;
}

/* Each read sees what was written last, and reads of what nobody wrote agree. */
static bool reads_agree(const struct made *m)
{
    int now[BYTES];
    memset(now, -1, sizeof now);
    for (unsigned i = 0; i < m->t->events; i++) {
        const struct hd_event *e = &m->t->event[i];
        uint64_t written = e->kind == HD_ATOMIC_RMW ? e->second : e->value;
        for (unsigned k = 0; k < e->size; k++) {
            int *byte = &now[m->first[i] + k];
            if (smt_reads(e) && *byte >= 0 && *byte != (int)(e->value >> (8 * k) & 0xff))
                return false;
            *byte = smt_writes(e) || smt_reads(e) ? (int)((smt_writes(e) ? written : e->value) >> (8 * k) & 0xff)
                                                  : *byte;
        }
    }
    return true;
}

/* Marks event i, or all of the section it begins. False: it has to stay. */
static bool mark(const struct made *m, const struct smt_question *q, unsigned i, bool *drop)
{
    struct smt_view v;
    const struct hd_event *event = m->t->event;
    if (asked_about(q, i))
        return false;
    drop[i] = true;
    if (smt_reads(&event[i]) || smt_writes(&event[i]) || event[i].kind == HD_HB_AFTER || event[i].kind == HD_JOIN_FAIL ||
        event[i].kind == HD_TRYLOCK_FAIL)
        return true;
    if (!smt_takes(&event[i]))
        return false;
    smt_view_make(&v, m, SMT_ALL_RULES);
    for (unsigned n = 0; n < v.sections; n++) {
        const struct smt_section *s = &v.section[n];
        unsigned leave = s->leave == SMT_NONE ? (unsigned)m->t->events : s->leave;
        if (s->take != i || (s->leave != SMT_NONE && event[leave].kind == HD_COND_WAIT))
            continue;
        for (unsigned k = i; k < m->t->events && k <= leave; k++) {
            if (event[k].thread != s->thread && event[k].object == s->lock)
                return false;
            drop[k] = event[k].thread == s->thread && event[k].object == s->lock;
            if (drop[k] && asked_about(q, k))
                return false;
        }
        return true;
    }
    return false;
}

/* Takes the place of *m where it is well formed and still shows it. */
static bool try(struct made *m, struct smt_question *q, const bool *drop,
                bool (*shows)(const struct made *, const struct smt_question *))
{
    struct smt_question moved = *q;
    struct made small = without(m, drop, &moved);
    if (!reads_agree(&small) || !shows(&small, &moved)) {
        hd_trace_free(small.t);
        return false;
    }
    hd_trace_free(m->t);
    *m = small;
    *q = moved;
    return true;
}

struct made smt_shrink(const struct made *whole, struct smt_question *q,
                       bool (*shows)(const struct made *, const struct smt_question *))
{
    bool drop[EVENTS + 4] = {0};
    struct made m = without(whole, drop, q);
    unsigned last = 0;
    for (unsigned k = 0; k < q->events; k++)
        last = q->event[k] > last ? q->event[k] : last;
    for (unsigned end = last + 1; end < m.t->events; end += (m.t->events - end + 1) / 2) {
        for (unsigned i = 0; i < EVENTS + 4; i++)
            drop[i] = i >= end;
        if (try(&m, q, drop, shows))
            break;
    }
    for (unsigned i = (unsigned)m.t->events; i-- > 0;) {
        memset(drop, 0, sizeof drop);
        if (mark(&m, q, i, drop))
            try(&m, q, drop, shows);
    }
    return m;
}
