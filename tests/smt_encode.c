// SPDX-License-Identifier: Apache-2.0
#include "tests/smt_encode.h"

#include <string.h>

/* ---------------------------------------------------------------- the trace */

bool smt_reads(const struct hd_event *e)
{
    return e->kind == HD_READ || e->kind == HD_ATOMIC_LOAD || e->kind == HD_ATOMIC_RMW;
}

bool smt_writes(const struct hd_event *e)
{
    return e->kind == HD_WRITE || e->kind == HD_UNSEEN_WRITE || e->kind == HD_ATOMIC_STORE ||
           e->kind == HD_ATOMIC_RMW;
}

bool smt_takes(const struct hd_event *e)
{
    return e->kind == HD_LOCK || e->kind == HD_RDLOCK || e->kind == HD_WRLOCK;
}

bool smt_covers(const struct made *m, unsigned access, unsigned byte)
{
    return byte >= m->first[access] && byte < m->first[access] + m->t->event[access].size;
}

static const struct hd_event *event(const struct smt_view *v, unsigned i)
{
    return &v->m->t->event[i];
}

static unsigned read_value(const struct smt_view *v, unsigned i, unsigned byte)
{
    return event(v, i)->value >> (8 * (byte - v->m->first[i])) & 0xff;
}

static unsigned written_value(const struct smt_view *v, unsigned i, unsigned byte)
{
    const struct hd_event *e = event(v, i);
    return (e->kind == HD_ATOMIC_RMW ? e->second : e->value) >> (8 * (byte - v->m->first[i])) & 0xff;
}

static void find_origins(struct smt_view *v)
{
    unsigned last[BYTES] = {0};
    for (unsigned b = 0; b < BYTES; b++)
        v->initial[b] = SMT_UNKNOWN;
    for (unsigned i = 0; i < v->m->t->events; i++)
        for (unsigned k = 0; k < event(v, i)->size; k++) {
            unsigned byte = v->m->first[i] + k;
            v->origin[i][k] = last[byte];
            if (smt_reads(event(v, i)) && !last[byte])
                v->initial[byte] = read_value(v, i, byte);
            if (smt_writes(event(v, i)))
                last[byte] = i + 1;
        }
}

static void find_sections_of(struct smt_view *v, unsigned thread, unsigned lock)
{
    unsigned depth = 0;
    for (unsigned i = 0; i < v->m->t->events; i++) {
        const struct hd_event *e = event(v, i);
        bool waits = e->kind == HD_COND_WAIT && e->value == lock + 1;
        if (e->thread != thread || (e->object != lock && !waits))
            continue;
        if (smt_takes(e) && !depth++)
            v->section[v->sections++] =
                (struct smt_section){lock, thread, i, SMT_NONE, e->kind == HD_RDLOCK};
        if ((e->kind == HD_UNLOCK || e->kind == HD_RWUNLOCK || waits) && !--depth)
            v->section[v->sections - 1].leave = i;
    }
}

void smt_view_make(struct smt_view *v, const struct made *m, enum smt_rule without)
{
    unsigned last[THREADS];
    *v = (struct smt_view){.m = m, .without = without};
    for (unsigned t = 0; t < m->threads; t++) {
        last[t] = SMT_NONE;
        for (unsigned lock = 0; lock <= RWLOCK; lock++)
            find_sections_of(v, t, lock);
    }
    for (unsigned i = 0; i < m->t->events; i++) {
        v->previous[i] = last[event(v, i)->thread];
        last[event(v, i)->thread] = i;
    }
    find_origins(v);
}

const struct smt_section *smt_held_at(const struct smt_view *v, unsigned i, unsigned lock)
{
    for (const struct smt_section *s = v->section; s < v->section + v->sections; s++)
        if (s->lock == lock && s->thread == event(v, i)->thread && s->take < i &&
            (s->leave == SMT_NONE || s->leave >= i))
            return s;
    return NULL;
}

static bool refused(const struct hd_event *e)
{
    return e->kind == HD_TRYLOCK_FAIL || e->kind == HD_TRYRDLOCK_FAIL || e->kind == HD_TRYWRLOCK_FAIL ||
           e->kind == HD_LOCK_TIMEOUT;
}

static bool excludes(const struct smt_view *v, const struct smt_section *a, const struct smt_section *b)
{
    return a->lock == b->lock && a->thread != b->thread &&
           !(a->shared && b->shared && v->without != SMT_READERS_SHARE);
}

/* ------------------------------------------------------------------ the rules */

/* a is included, and before b. */
static void write_before(FILE *f, unsigned a, unsigned b)
{
    fprintf(f, "(and i%u (< p%u p%u))", a, a, b);
}

static void write_needs(FILE *f, unsigned needed, unsigned i)
{
    fprintf(f, "(assert (=> i%u ", i);
    write_before(f, needed, i);
    fputs("))\n", f);
}

/* All included events of that kind in the trace before i, or with that value. */
static void write_needs_all(FILE *f, const struct smt_view *v, unsigned i, unsigned kind, bool same_value)
{
    for (unsigned j = 0; j < i; j++)
        if (event(v, j)->kind == kind && (!same_value || event(v, j)->value == event(v, i)->value))
            write_needs(f, j, i);
}

static unsigned find(const struct smt_view *v, unsigned kind, unsigned thread, unsigned value)
{
    for (unsigned i = 0; i < v->m->t->events; i++)
        if (event(v, i)->kind == kind && (kind == HD_END ? event(v, i)->thread == thread : event(v, i)->value == value))
            return i;
    return SMT_NONE;
}

static void write_exclusion(FILE *f, const struct smt_view *v)
{
    for (unsigned n = 0; n < v->sections; n++)
        for (unsigned k = 0; k < n; k++) {
            const struct smt_section *a = &v->section[n], *b = &v->section[k];
            if (!excludes(v, a, b))
                continue;
            fprintf(f, "(assert (or (not i%u) (not i%u)", a->take, b->take);
            if (v->without == SMT_LEFT_OPEN && (a->leave == SMT_NONE || b->leave == SMT_NONE))
                fputs(" true", f);
            if (a->leave != SMT_NONE)
                write_before(f, a->leave, b->take);
            if (b->leave != SMT_NONE)
                write_before(f, b->leave, a->take);
            fputs("))\n", f);
        }
}

/* Somebody else is in a section that excludes: a try, or a wait with a time limit, failed. */
static void write_refused(FILE *f, const struct smt_view *v, unsigned i)
{
    const struct hd_event *e = event(v, i);
    bool reading = e->kind == HD_TRYRDLOCK_FAIL || (e->kind == HD_LOCK_TIMEOUT && e->value == HD_RDLOCK);
    fprintf(f, "(assert (or (not i%u)", i);
    for (const struct smt_section *s = v->section; s < v->section + v->sections; s++)
        if (s->lock == e->object && s->thread != e->thread && !(reading && s->shared)) {
            fputs(" (and ", f);
            write_before(f, s->take, i);
            if (s->leave != SMT_NONE)
                fprintf(f, " (or (not i%u) (< p%u p%u))", s->leave, i, s->leave);
            fputs(")", f);
        }
    fputs("))\n", f);
}

static bool counts(const struct smt_view *v, unsigned i)
{
    return event(v, i)->kind == HD_SEM_POST || event(v, i)->kind == HD_SEM_WAIT;
}

/* b<x>_<i>: x is included and before i; else, where both are included, it is after. */
static void write_sides(FILE *f, const struct smt_view *v, unsigned i)
{
    for (unsigned x = 0; x < v->m->t->events; x++) {
        if (!counts(v, x) || x == i)
            continue;
        fprintf(f, "(declare-const b%u_%u Bool)\n(assert (=> b%u_%u ", x, i, x, i);
        write_before(f, x, i);
        fprintf(f, "))\n(assert (or b%u_%u (not i%u) (not i%u) (< p%u p%u)))\n", x, i, x, i, i, x);
    }
}

/* How many are there before i: the posts that are, and the waits that are not, against a number. */
static void write_count(FILE *f, const struct smt_view *v, unsigned i, bool empty)
{
    int waits = 0, need;
    for (unsigned x = 0; x < v->m->t->events; x++)
        waits += x != i && event(v, x)->kind == HD_SEM_WAIT;
    need = waits - (int)v->m->semaphore_start + !empty;
    write_sides(f, v, i);
    if (need < 0 || (!need && !empty)) {
        if (empty)
            fprintf(f, "(assert (not i%u))\n", i);
        return;
    }
    fprintf(f, "(assert (=> i%u ((_ %s %d) false", i, empty ? "at-most" : "at-least", need);
    for (unsigned x = 0; x < v->m->t->events; x++)
        if (counts(v, x) && x != i)
            fprintf(f, event(v, x)->kind == HD_SEM_POST ? " b%u_%u" : " (not b%u_%u)", x, i);
    fputs(")))\n", f);
}

static bool signals(const struct smt_view *v, unsigned i)
{
    return event(v, i)->kind == HD_SIGNAL || event(v, i)->kind == HD_BROADCAST;
}

/* g<k>_<s>: wake k owes it to signal s, given after the wait began; a signal, but for a broadcast, wakes one. */
static void write_wake(FILE *f, const struct smt_view *v, unsigned k)
{
    for (unsigned s = 0; s < v->m->t->events; s++) {
        if (!signals(v, s) || event(v, s)->thread == event(v, k)->thread)
            continue;
        fprintf(f, "(declare-const g%u_%u Bool)\n(assert (=> g%u_%u (and (< p%u p%u) ", k, s, k, s,
                v->without == SMT_SIGNAL_AFTER_WAIT ? s : v->previous[k], v->without == SMT_SIGNAL_AFTER_WAIT ? k : s);
        write_before(f, s, k);
        fputs(")))\n", f);
        for (unsigned other = 0; other < k; other++)
            if (event(v, s)->kind == HD_SIGNAL && event(v, other)->kind == HD_COND_WAKE && event(v, other)->value &&
                event(v, other)->thread != event(v, s)->thread && v->without != SMT_SIGNAL_ONCE)
                fprintf(f, "(assert (not (and g%u_%u g%u_%u)))\n", k, s, other, s);
    }
    fprintf(f, "(assert (or (not i%u)", k);
    for (unsigned s = 0; s < v->m->t->events; s++)
        if (signals(v, s) && event(v, s)->thread != event(v, k)->thread)
            fprintf(f, " g%u_%u", k, s);
    fputs("))\n", f);
}

/* ------------------------------------------------------------------ the reads */

/* Would the read see in that byte, after writer (1 + event, or 0), what it saw? */
static bool same(const struct smt_view *v, unsigned read, unsigned byte, unsigned writer)
{
    if (!v->m->t->has_values)
        return writer == v->origin[read][byte - v->m->first[read]];
    unsigned sees = writer ? written_value(v, writer - 1, byte) : v->initial[byte];
    return sees == read_value(v, read, byte);
}

/* A write of the byte other than the read itself, not after it in its thread. */
static bool may_precede(const struct smt_view *v, unsigned read, unsigned byte, unsigned w)
{
    return w != read && smt_writes(event(v, w)) && smt_covers(v->m, w, byte) &&
           !(event(v, w)->thread == event(v, read)->thread && w > read);
}

/* The read sees what `writer` wrote, or the same from a later write: no other value falls between. */
static void write_source(FILE *f, const struct smt_view *v, unsigned read, unsigned byte, unsigned writer)
{
    if (writer) {
        fprintf(f, "(assert (=> s%u_%u_%u ", read, byte, writer);
        write_before(f, writer - 1, read);
        fputs("))\n", f);
    }
    for (unsigned w = 0; w < v->m->t->events; w++) {
        if (!may_precede(v, read, byte, w) || w + 1 == writer || same(v, read, byte, w + 1) ||
            v->without == SMT_NOTHING_BETWEEN)
            continue;
        fprintf(f, "(assert (or (not s%u_%u_%u) (not i%u) (< p%u p%u)", read, byte, writer, w, read, w);
        if (writer)
            fprintf(f, " (< p%u p%u)", w, writer - 1);
        fputs("))\n", f);
    }
}

static void write_read(FILE *f, const struct smt_view *v, unsigned read, unsigned byte)
{
    for (unsigned w = 0; w <= v->m->t->events; w++)
        if ((!w || may_precede(v, read, byte, w - 1)) && same(v, read, byte, w)) {
            fprintf(f, "(declare-const s%u_%u_%u Bool)\n", read, byte, w);
            write_source(f, v, read, byte, w);
        }
    fprintf(f, "(assert (or (not i%u)", read);
    for (unsigned w = 0; w <= v->m->t->events; w++)
        if ((!w || may_precede(v, read, byte, w - 1)) && same(v, read, byte, w))
            fprintf(f, " s%u_%u_%u", read, byte, w);
    fputs("))\n", f);
}

/* ------------------------------------------------------------------ the text */

static void write_sync(FILE *f, const struct smt_view *v, unsigned i)
{
    const struct hd_event *e = event(v, i);
    unsigned end = e->kind == HD_JOIN_FAIL ? find(v, HD_END, (unsigned)e->value, 0) : SMT_NONE;
    enum smt_rule no = v->without;
    if (e->kind == HD_START && e->thread && no != SMT_FORK)
        write_needs(f, find(v, HD_CREATE, 0, e->thread), i);
    else if (e->kind == HD_JOIN && no != SMT_JOIN)
        write_needs(f, find(v, HD_END, (unsigned)e->value, 0), i);
    else if (end != SMT_NONE && no != SMT_NOT_ENDED)
        fprintf(f, "(assert (or (not i%u) (not i%u) (< p%u p%u)))\n", i, end, i, end);
    else if (refused(e) && no != SMT_REFUSED)
        write_refused(f, v, i);
    else if (e->kind == HD_SEM_WAIT && no != SMT_COUNT)
        write_count(f, v, i, false);
    else if (e->kind == HD_SEM_FAIL && no != SMT_EMPTY)
        write_count(f, v, i, true);
    else if (e->kind == HD_COND_WAKE && e->value)
        write_wake(f, v, i);
    else if (e->kind == HD_BARRIER_EXIT && no != SMT_BARRIER)
        write_needs_all(f, v, i, HD_BARRIER_ENTER, true);
    else if (e->kind == HD_ONCE_PASS && no != SMT_ONCE)
        write_needs_all(f, v, i, HD_ONCE_END, false);
    else if (e->kind == HD_HB_AFTER && no != SMT_ANNOTATION)
        write_needs_all(f, v, i, HD_HB_BEFORE, false);
}

void smt_write_trace(FILE *f, const struct smt_view *v)
{
    for (unsigned i = 0; i < v->m->t->events; i++) {
        fprintf(f, "(declare-const p%u Int)\n(declare-const i%u Bool)\n", i, i);
        if (v->previous[i] != SMT_NONE)
            fprintf(f, "(assert (< p%u p%u))\n(assert (=> i%u i%u))\n", v->previous[i], i, i, v->previous[i]);
    }
    if (v->without != SMT_EXCLUSION)
        write_exclusion(f, v);
    for (unsigned i = 0; i < v->m->t->events; i++) {
        write_sync(f, v, i);
        for (unsigned k = 0; smt_reads(event(v, i)) && k < event(v, i)->size && v->without != SMT_VALUES; k++)
            write_read(f, v, i, v->m->first[i] + k);
    }
}

/* Its thread stands before it. */
static void write_next(FILE *f, const struct smt_view *v, unsigned i)
{
    if (v->without != SMT_NEXT)
        fprintf(f, " (not i%u)", i);
    if (v->previous[i] != SMT_NONE)
        fprintf(f, " i%u", v->previous[i]);
}

/* Posts that are included and waits that are not are no more than leave nothing for whoever waits. */
static void write_drained(FILE *f, const struct smt_view *v)
{
    int most = -(int)v->m->semaphore_start;
    for (unsigned x = 0; x < v->m->t->events; x++)
        most += event(v, x)->kind == HD_SEM_WAIT;
    if (most < 0) {
        fputs(" false", f);
        return;
    }
    fprintf(f, " ((_ at-most %d)", most);
    for (unsigned x = 0; x < v->m->t->events; x++)
        if (counts(v, x))
            fprintf(f, event(v, x)->kind == HD_SEM_POST ? " i%u" : " (not i%u)", x);
    fputs(")", f);
}

/* In some byte `writer` (1 + event, or 0) is the last that wrote, and the read would see something else. */
static void write_last(FILE *f, const struct smt_view *v, unsigned read, unsigned writer)
{
    fputs(" (or false", f);
    for (unsigned k = 0; k < event(v, read)->size; k++) {
        unsigned byte = v->m->first[read] + k;
        if ((writer && !smt_covers(v->m, writer - 1, byte)) || same(v, read, byte, writer))
            continue;
        fputs(" (and true", f);
        if (writer)
            fprintf(f, " i%u", writer - 1);
        for (unsigned w = 0; w < v->m->t->events && v->without != SMT_LAST_WRITE; w++)
            if (may_precede(v, read, byte, w) && w + 1 != writer) {
                fprintf(f, " (or (not i%u)", w);
                if (writer)
                    fprintf(f, " (< p%u p%u)", w, writer - 1);
                fputs(")", f);
            }
        fputs(")", f);
    }
    fputs(")", f);
}

void smt_write_question(FILE *f, const struct smt_view *v, const struct smt_question *q, unsigned number)
{
    fprintf(f, "(declare-const q%u Bool)\n(assert (=> q%u (and true", number, number);
    unsigned frontier = q->kind == SMT_RACE || q->kind == SMT_CYCLE ? q->events : 1;
    for (unsigned i = 0; i < frontier; i++) {
        write_next(f, v, q->event[i]);
        if (q->kind == SMT_CYCLE && event(v, q->event[i])->kind == HD_SEM_WAIT && v->without != SMT_DRAINED)
            write_drained(f, v);
    }
    if (q->kind == SMT_MEMORY || q->kind == SMT_ENDED)
        fprintf(f, " i%u", q->event[1]);
    if (q->kind == SMT_TRIPLET || q->kind == SMT_INITIAL)
        write_last(f, v, q->event[0], q->kind == SMT_TRIPLET ? q->event[1] + 1 : 0);
    fprintf(f, ")))\n(check-sat-assuming (q%u))\n", number);
}
