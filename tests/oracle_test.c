// SPDX-License-Identifier: Apache-2.0
// The engine against exhaustive enumeration, both directions. For random small
// traces every reachable state (events done per thread, last writer of every
// byte) is visited by code of its own; each state says which read could see
// which write next and which requests form a cycle. The two accounts must be equal.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "tests/random_trace.h"

enum { TABLE = 1 << 20, LINES = 4096 };

/* writer: 1 + event; signalled: a waiting thread has its signal; odd: one that had timed out all the same, so
 * the signal was somebody else's */
struct state { uint8_t done[THREADS], writer[BYTES], signalled[THREADS], odd; };

static unsigned passed, failed;
static unsigned long total, feasible, open_count, cycles_seen, joins_seen, tenants_seen;
static uint8_t origin[EVENTS + 4][2]; /* reads: writer of each byte in the trace */
static struct state *table;
static bool *used;
static uint32_t *visited; /* slots of the table in use */
static size_t visits;
static uint32_t list[EVENTS + 4][THREADS], length[THREADS];
static bool can[EVENTS + 4][EVENTS + 5];
static char lines[2][LINES][96];
static unsigned line_count[2];

/* ---------------------------------------------------------------- the oracle */

static bool writes(const struct hd_event *e)
{
    return e->kind == HD_WRITE || e->kind == HD_UNSEEN_WRITE || e->kind == HD_ATOMIC_STORE ||
           e->kind == HD_ATOMIC_RMW;
}

static bool reads(const struct hd_event *e)
{
    return e->kind == HD_READ || e->kind == HD_ATOMIC_LOAD || e->kind == HD_ATOMIC_RMW;
}

static unsigned value_at(const struct made *m, unsigned byte, unsigned writer)
{
    if (!writer)
        return m->seen[byte] ? m->initial[byte] : 256;
    const struct hd_event *e = &m->t->event[writer - 1];
    return (e->kind == HD_ATOMIC_RMW ? e->second : e->value) >> (8 * (byte - m->first[writer - 1])) & 0xff;
}

/* 0: not, 1: to read, 2: alone. */
static int holds(const struct made *m, const struct state *s, unsigned thread, unsigned lock)
{
    int depth = 0, mode = 0;
    for (unsigned i = 0; i < s->done[thread]; i++) {
        const struct hd_event *e = &m->t->event[list[i][thread]];
        bool waits = e->kind == HD_COND_WAIT && e->value == lock + 1;
        if (e->object != lock && !waits)
            continue;
        bool takes = e->kind == HD_LOCK || e->kind == HD_RDLOCK || e->kind == HD_WRLOCK;
        if (takes && !depth)
            mode = e->kind == HD_RDLOCK ? 1 : 2;
        depth += takes ? 1 : e->kind == HD_UNLOCK || e->kind == HD_RWUNLOCK || waits ? -1 : 0;
    }
    return depth ? mode : 0;
}

static bool barred(const struct made *m, const struct state *s, unsigned thread, unsigned lock, bool reading)
{
    for (unsigned u = 0; u < m->threads; u++)
        if (u != thread && holds(m, s, u, lock) > (reading ? 1 : 0))
            return true;
    return false;
}

static int semaphore(const struct made *m, const struct state *s)
{
    int count = (int)m->semaphore_start;
    for (unsigned t = 0; t < m->threads; t++)
        for (unsigned i = 0; i < s->done[t]; i++) {
            unsigned kind = m->t->event[list[i][t]].kind;
            count += kind == HD_SEM_POST ? 1 : kind == HD_SEM_WAIT ? -1 : 0;
        }
    return count;
}

/* All events like this before i in the trace are done. */
static bool all_done(const struct made *m, const struct state *s, unsigned i, unsigned kind, bool same_value)
{
    unsigned done[THREADS] = {0};
    for (unsigned j = 0; j < i; j++) {
        const struct hd_event *e = &m->t->event[j];
        bool is_done = done[e->thread]++ < s->done[e->thread];
        if (e->kind == kind && !is_done && (!same_value || e->value == m->t->event[i].value))
            return false;
    }
    return true;
}

static bool happened(const struct made *m, const struct state *s, unsigned kind, unsigned thread, uint64_t value)
{
    for (unsigned t = 0; t < m->threads; t++)
        for (unsigned i = 0; i < s->done[t]; i++) {
            const struct hd_event *e = &m->t->event[list[i][t]];
            if (e->kind == kind && (kind == HD_END ? t == thread : e->value == value))
                return true;
        }
    return false;
}

static bool reads_right(const struct made *m, const struct state *s, unsigned i)
{
    const struct hd_event *e = &m->t->event[i];
    for (unsigned k = 0; k < e->size; k++) {
        unsigned byte = m->first[i] + k, w = s->writer[byte];
        if (m->t->has_values ? value_at(m, byte, w) != (e->value >> (8 * k) & 0xff) : w != origin[i][k])
            return false;
    }
    return true;
}

static bool may(const struct made *m, const struct state *s, unsigned i)
{
    const struct hd_event *e = &m->t->event[i];
    bool reading = e->kind == HD_RDLOCK || e->kind == HD_TRYRDLOCK_FAIL ||
                   (e->kind == HD_LOCK_TIMEOUT && e->value == HD_RDLOCK);
    switch (e->kind) {
    case HD_START: return !e->thread || happened(m, s, HD_CREATE, 0, e->thread);
    case HD_JOIN: return happened(m, s, HD_END, (unsigned)e->value, 0);
    case HD_JOIN_FAIL: return !happened(m, s, HD_END, (unsigned)e->value, 0);
    case HD_LOCK:
    case HD_RDLOCK:
    case HD_WRLOCK: return holds(m, s, e->thread, e->object) || !barred(m, s, e->thread, e->object, reading);
    case HD_TRYLOCK_FAIL:
    case HD_TRYRDLOCK_FAIL:
    case HD_TRYWRLOCK_FAIL:
    case HD_LOCK_TIMEOUT: return barred(m, s, e->thread, e->object, reading);
    case HD_SEM_WAIT: return semaphore(m, s) > 0;
    case HD_SEM_FAIL: return semaphore(m, s) == 0;
    case HD_COND_WAKE: return !e->value || s->signalled[e->thread];
    case HD_BARRIER_EXIT: return all_done(m, s, i, HD_BARRIER_ENTER, true);
    case HD_ONCE_PASS: return all_done(m, s, i, HD_ONCE_END, false);
    case HD_HB_AFTER: return all_done(m, s, i, HD_HB_BEFORE, false);
    default: return !reads(e) || reads_right(m, s, i);
    }
}

static void see(const struct made *m, const struct state *s, unsigned r)
{
    const struct hd_event *e = &m->t->event[r];
    for (unsigned k = 0; k < e->size; k++) {
        unsigned byte = m->first[r] + k, w = s->writer[byte];
        if (m->t->has_values ? value_at(m, byte, w) != (e->value >> (8 * k) & 0xff) : w != origin[r][k])
            can[r][w] = true;
    }
}

static void line(unsigned side, const char *kind, const long *p, const char *verdict)
{
    if (line_count[side] >= LINES)
        abort();
    snprintf(lines[side][line_count[side]++], sizeof lines[0][0], "%s %ld %ld %ld %s", kind, p[0], p[1], p[2],
             verdict);
}

static bool visit(const struct state *s)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ ((const uint8_t *)s)[i]) * 1099511628211u;
    size_t at = (h ^ h >> 29) & (TABLE - 1);
    for (size_t probes = 0; used[at]; at = (at + 1) & (TABLE - 1)) {
        if (!memcmp(&table[at], s, sizeof *s))
            return false;
        if (++probes == TABLE)
            abort();
    }
    used[at] = true;
    visited[visits++] = (uint32_t)at;
    table[at] = *s;
    return true;
}

static bool waits(const struct made *m, const struct state *s, unsigned thread)
{
    return s->done[thread] && m->t->event[list[s->done[thread] - 1][thread]].kind == HD_COND_WAIT;
}

static void explore(const struct made *m, struct state s);

/* A signal may go to any one that waits; the state is the one after it. */
static void explore_signal(const struct made *m, struct state s, bool all)
{
    struct state every = s;
    bool lost = true;
    for (unsigned u = 0; u < m->threads; u++)
        if (waits(m, &s, u) && !s.signalled[u]) {
            struct state one = s;
            one.signalled[u] = every.signalled[u] = 1;
            lost = false;
            if (!all)
                explore(m, one);
        }
    if (all || lost)
        explore(m, every);
}

static void explore(const struct made *m, struct state s)
{
    if (!visit(&s))
        return;
    for (unsigned t = 0; t < m->threads; t++) {
        if (s.done[t] == length[t])
            continue;
        unsigned i = list[s.done[t]][t];
        const struct hd_event *e = &m->t->event[i];
        if (reads(e))
            see(m, &s, i);
        if (!may(m, &s, i))
            continue;
        struct state next = s;
        next.done[t]++;
        if (e->kind == HD_COND_WAKE) {
            next.odd |= s.signalled[t] && !e->value;
            next.signalled[t] = 0;
        }
        for (unsigned k = 0; writes(e) && k < e->size; k++)
            next.writer[m->first[i] + k] = (uint8_t)(i + 1);
        if (e->kind == HD_SIGNAL || e->kind == HD_BROADCAST)
            explore_signal(m, next, e->kind == HD_BROADCAST);
        else
            explore(m, next);
    }
}

/* Overlap of r with write c; *other where c is not the writer of every byte of it. */
static bool overlap(const struct made *m, unsigned r, unsigned c, bool *other)
{
    bool any = false;
    *other = false;
    for (unsigned k = 0; k < m->t->event[r].size; k++)
        if (m->first[r] + k - m->first[c] < m->t->event[c].size) {
            any = true;
            *other |= origin[r][k] != c + 1;
        }
    return any;
}

static void expect_triplets(const struct made *m)
{
    for (unsigned r = 0; r < m->t->events; r++) {
        const struct hd_event *e = &m->t->event[r];
        bool foreign = false, other;
        if (!reads(e))
            continue;
        for (unsigned c = 0; c < m->t->events; c++) {
            const struct hd_event *w = &m->t->event[c];
            if (writes(w) && w->thread != e->thread && overlap(m, r, c, &other) && other)
                line(0, "triplet", (long[]){r, c, -1}, can[r][c + 1] ? "witness" : "impossible");
        }
        for (unsigned k = 0; k < e->size; k++)
            foreign |= origin[r][k] && m->t->event[origin[r][k] - 1].thread != e->thread;
        if (foreign && m->t->has_values)
            line(0, "initial", (long[]){r, -1, -1}, can[r][0] ? "witness" : "impossible");
    }
}

static struct state before(const struct made *m, unsigned i)
{
    struct state s = {0};
    unsigned t = m->t->event[i].thread;
    while (list[s.done[t]][t] != i)
        s.done[t]++;
    return s;
}

static bool cycle_reached(const unsigned *q, unsigned k, const struct made *m)
{
    for (size_t v = 0; v < visits; v++) {
        size_t at = visited[v];
        bool all = true;
        for (unsigned i = 0; i < k && all; i++) {
            unsigned t = m->t->event[q[i]].thread;
            all = table[at].done[t] < length[t] && list[table[at].done[t]][t] == q[i];
        }
        if (all)
            return true;
    }
    return false;
}

static bool blocks(const struct made *m, const struct state *s, unsigned thread, const struct hd_event *request)
{
    return holds(m, s, thread, request->object) > (request->kind == HD_RDLOCK ? 1 : 0);
}

static bool takes(const struct hd_event *e)
{
    return e->kind == HD_LOCK || e->kind == HD_RDLOCK || e->kind == HD_WRLOCK;
}

/* A reader who gives way, and a writer of the same lock. */
static bool is_behind(const struct hd_event *reader, const struct hd_event *writer)
{
    return reader->kind == HD_RDLOCK && reader->value && writer->kind == HD_WRLOCK && writer->object == reader->object;
}

/* Has the thread a post or a signal still to give when it stands before event `at`? */
static bool owes(const struct made *m, unsigned at, bool posts)
{
    const struct hd_event *event = m->t->event;
    for (unsigned i = at; i < m->t->events; i++)
        if (event[i].thread == event[at].thread &&
            (posts ? event[i].kind == HD_SEM_POST : event[i].kind == HD_SIGNAL || event[i].kind == HD_BROADCAST))
            return true;
    return false;
}

/* There is one once: does the thread that stands before event `at` stand inside it? */
static bool initialises(const struct made *m, unsigned at)
{
    const struct hd_event *event = m->t->event;
    bool inside = false;
    for (unsigned i = 0; i < at; i++)
        if (event[i].thread == event[at].thread && (event[i].kind == HD_ONCE_BEGIN || event[i].kind == HD_ONCE_END))
            inside = event[i].kind == HD_ONCE_BEGIN;
    return inside;
}

/* Its one unit is taken and given back by turns in every thread: then who has it alone is waited for. */
static bool semaphore_is_mutex(const struct made *m)
{
    bool has[THREADS] = {false};
    for (unsigned i = 0; i < m->t->events; i++) {
        const struct hd_event *e = &m->t->event[i];
        if (e->kind != HD_SEM_WAIT && e->kind != HD_SEM_POST)
            continue;
        if (has[e->thread] == (e->kind == HD_SEM_WAIT))
            return false;
        has[e->thread] = e->kind == HD_SEM_WAIT;
    }
    return m->semaphore_start == 1;
}

static bool has_unit(const struct made *m, unsigned at)
{
    bool has = false;
    for (unsigned i = 0; i < at; i++) {
        const struct hd_event *e = &m->t->event[i];
        if (e->thread == m->t->event[at].thread && (e->kind == HD_SEM_WAIT || e->kind == HD_SEM_POST))
            has = e->kind == HD_SEM_WAIT;
    }
    return has;
}

/* Can the request have to wait for the thread that stands before event `at`? */
static bool waits_for(const struct made *m, const struct hd_event *request, unsigned at)
{
    struct state s = before(m, at);
    if (is_behind(request, &m->t->event[at]))
        return !holds(m, &s, m->t->event[at].thread, request->object);
    if (takes(request)) {
        struct state own = before(m, (unsigned)(request - m->t->event));
        return blocks(m, &s, m->t->event[at].thread, request) && !holds(m, &own, request->thread, request->object);
    }
    if (request->kind == HD_JOIN)
        return request->value == m->t->event[at].thread;
    if (request->kind == HD_ONCE_PASS)
        return initialises(m, at);
    if (request->kind == HD_SEM_WAIT && semaphore_is_mutex(m) && !has_unit(m, at))
        return false;
    return owes(m, at, request->kind == HD_SEM_WAIT);
}

static bool is_request(const struct made *m, unsigned i)
{
    const struct hd_event *e = &m->t->event[i];
    struct state s = before(m, i);
    if (takes(e))
        return !holds(m, &s, e->thread, e->object) || (e->kind == HD_RDLOCK && e->value);
    return e->kind == HD_JOIN || e->kind == HD_SEM_WAIT || e->kind == HD_ONCE_PASS ||
           (e->kind == HD_COND_WAKE && e->value);
}

/* None of them can be made: not at all, or not while another one waits. */
static bool waits_in(const struct state *s, unsigned i, const unsigned *q, unsigned k, const struct made *m)
{
    bool waits = !may(m, s, i);
    for (unsigned j = 0; j < k; j++)
        waits |= is_behind(&m->t->event[i], &m->t->event[q[j]]) && !may(m, s, q[j]);
    return waits;
}

/* A state in which all of them are next, and none can be made. */
static bool stuck(const unsigned *q, unsigned k, const struct made *m)
{
    for (size_t v = 0; v < visits; v++) {
        const struct state *s = &table[visited[v]];
        bool all = !s->odd;
        for (unsigned i = 0; i < k && all; i++) {
            unsigned t = m->t->event[q[i]].thread;
            all = s->done[t] < length[t] && list[s->done[t]][t] == q[i] && waits_in(s, q[i], q, k, m);
        }
        if (all)
            return true;
    }
    return false;
}

/* A wait that has begun is called by its wait. */
static long called(const struct made *m, unsigned i)
{
    const struct hd_event *e = &m->t->event[i];
    return e->kind == HD_COND_WAKE ? (long)list[before(m, i).done[e->thread] - 1][e->thread] : (long)i;
}

/* Candidates that wait for a semaphore are the engine's to choose; the witnesses among them are not. */
static void expect_cycle(const struct made *m, const unsigned *q, unsigned k)
{
    const struct hd_event *event = m->t->event;
    bool semaphore = false, witness = stuck(q, k, m);
    unsigned first = k == 2 && !takes(&event[q[0]]) && takes(&event[q[1]]);
    long p[3] = {-1, -1, -1};
    for (unsigned i = 0; i < k; i++) {
        semaphore |= event[q[i]].kind == HD_SEM_WAIT;
        joins_seen += event[q[i]].kind == HD_JOIN;
        if (i < 3)
            p[i] = called(m, q[(first + i) % k]);
    }
    cycles_seen++;
    if (witness || !semaphore)
        line(0, "deadlock", p, witness ? "witness" : "impossible");
}

/* No two acquires of one lock, but a reader right before the writer whom it waits behind. */
static bool is_lean(const struct made *m, const unsigned *q, unsigned k)
{
    const struct hd_event *event = m->t->event;
    for (unsigned i = 0; i < k; i++)
        for (unsigned j = 0; j < k; j++)
            if (i != j && takes(&event[q[i]]) && takes(&event[q[j]]) && event[q[i]].object == event[q[j]].object &&
                !(j == (i + 1) % k && is_behind(&event[q[i]], &event[q[j]])) &&
                !(i == (j + 1) % k && is_behind(&event[q[j]], &event[q[i]])))
                return false;
    return true;
}

static void expect_cycles(const struct made *m, unsigned *q, unsigned k)
{
    const struct hd_event *event = m->t->event;
    if (k > 1 && waits_for(m, &event[q[k - 1]], q[0]) && is_lean(m, q, k))
        expect_cycle(m, q, k);
    for (unsigned i = k ? q[0] + 1 : 0; i < m->t->events && k < m->threads; i++) {
        bool ok = is_request(m, i);
        for (unsigned j = 0; j < k; j++)
            ok &= event[q[j]].thread != event[i].thread;
        if (!ok || (k && !waits_for(m, &event[q[k - 1]], i)))
            continue;
        q[k] = i;
        expect_cycles(m, q, k + 1);
    }
}

static bool holds_already(const struct made *m, unsigned i)
{
    struct state s = before(m, i);
    return holds(m, &s, m->t->event[i].thread, m->t->event[i].object);
}

/* A thread that ends with a lock, and an acquire of it by another. */
static void expect_ended(const struct made *m)
{
    const struct hd_event *event = m->t->event;
    for (unsigned end = 0; end < m->t->events; end++)
        for (unsigned i = 0; event[end].kind == HD_END && i < m->t->events; i++) {
            struct state at_end = before(m, end), d = at_end;
            bool witness = false;
            if (!takes(&event[i]) || event[i].thread == event[end].thread || holds_already(m, i) ||
                !blocks(m, &at_end, event[end].thread, &event[i]))
                continue;
            for (size_t v = 0; v < visits && !witness; v++) {
                const struct state *s = &table[visited[v]];
                witness = s->done[event[end].thread] > d.done[event[end].thread] &&
                          s->done[event[i].thread] == before(m, i).done[event[i].thread] && !may(m, s, i);
            }
            line(0, "deadlock", (long[]){i, end, -1}, witness ? "witness" : "impossible");
        }
}

/* A state in which `done` is done and `next` is next. */
static bool met(const struct made *m, unsigned done, unsigned next)
{
    struct state d = before(m, done), n = before(m, next);
    unsigned td = m->t->event[done].thread, tn = m->t->event[next].thread;
    for (size_t v = 0; v < visits; v++) {
        const struct state *s = &table[visited[v]];
        if (s->done[td] > d.done[td] && s->done[tn] == n.done[tn])
            return true;
    }
    return false;
}

static void expect_pairs(const struct made *m)
{
    const struct hd_event *event = m->t->event;
    for (unsigned b = 0; b < m->t->events; b++)
        for (unsigned a = 0; a < b; a++) {
            unsigned q[2] = {a, b};
            long low = m->first[a] > m->first[b] ? m->first[a] : m->first[b];
            bool accesses = (reads(&event[a]) || writes(&event[a])) && (reads(&event[b]) || writes(&event[b]));
            bool same = event[a].thread == event[b].thread;
            if (accesses && !same && (writes(&event[a]) || writes(&event[b])) &&
                low < (long)(m->first[a] + event[a].size) && low < (long)(m->first[b] + event[b].size) &&
                !(hd_kind_is_atomic(event[a].kind) && hd_kind_is_atomic(event[b].kind)))
                line(0, "race", (long[]){a, b, -1}, cycle_reached(q, 2, m) ? "witness" : "impossible");
            if (event[b].kind == HD_FREE && !same && event[a].kind != HD_UNSEEN_WRITE && (reads(&event[a]) || writes(&event[a])) &&
                m->first[a] == m->first[b])
                line(0, "memory", (long[]){a, b, -1}, met(m, b, a) ? "witness" : "impossible");
        }
}

static void expect_tenants(const struct made *m)
{
    const struct hd_event *event = m->t->event;
    for (unsigned a = 0; a < m->t->events; a++) {
        int b = touches_object(&event[a]) ? end_of_block(m, event[a].object) : -1;
        if (b < 0 || (event[a].thread == event[b].thread && (int)a < b))
            continue;
        tenants_seen++;
        line(0, "memory", (long[]){a, b, -1}, (int)a > b || met(m, (unsigned)b, a) ? "witness" : "impossible");
    }
}

/* Every other thread has given its last signal, and the waiter stands before its wait, or waits in vain. */
static bool unwoken(const struct made *m, const unsigned *last, unsigned wait, unsigned wake)
{
    unsigned thread = m->t->event[wait].thread;
    struct state before_wait = before(m, wait), before_wake = before(m, wake);
    for (size_t v = 0; v < visits; v++) {
        const struct state *s = &table[visited[v]];
        bool all = true;
        for (unsigned u = 0; u < m->threads && all; u++)
            all = !last[u] || s->done[u] > before(m, last[u]).done[u];
        if (all && !s->odd && (s->done[thread] == before_wait.done[thread] ||
                    (s->done[thread] == before_wake.done[thread] && !s->signalled[thread])))
            return true;
    }
    return false;
}

static void expect_wakeups(const struct made *m)
{
    const struct hd_event *event = m->t->event;
    for (unsigned k = 0; k < m->t->events; k++) {
        if (event[k].kind != HD_COND_WAKE || !event[k].value)
            continue;
        struct state at = before(m, k);
        unsigned wait = list[at.done[event[k].thread] - 1][event[k].thread], last[THREADS] = {0}, latest = 0;
        for (unsigned i = 0; i < m->t->events; i++)
            if ((event[i].kind == HD_SIGNAL || event[i].kind == HD_BROADCAST) && event[i].thread != event[k].thread)
                latest = last[event[i].thread] = i;
        if (latest)
            line(0, "wakeup", (long[]){wait, latest, -1}, unwoken(m, last, wait, k) ? "witness" : "impossible");
    }
}

static void enumerate(const struct made *m)
{
    uint8_t last[BYTES] = {0};
    unsigned q[THREADS + 1];
    memset(length, 0, sizeof length);
    memset(can, 0, sizeof can);
    while (visits)
        used[visited[--visits]] = false;
    for (unsigned i = 0; i < m->t->events; i++) {
        const struct hd_event *e = &m->t->event[i];
        list[length[e->thread]++][e->thread] = i;
        for (unsigned k = 0; k < e->size; k++) {
            if (reads(e))
                origin[i][k] = last[m->first[i] + k];
            if (writes(e))
                last[m->first[i] + k] = (uint8_t)(i + 1);
        }
    }
    explore(m, (struct state){0});
    line_count[0] = 0;
    expect_triplets(m);
    expect_cycles(m, q, 0);
    expect_ended(m);
    expect_pairs(m);
    expect_tenants(m);
    expect_wakeups(m);
}

/* ------------------------------------------------------------ the comparison */

static long field(char **text)
{
    char *s = strsep(text, "\t\n");
    return s && *s ? atol(s) : -1;
}

/* Of the engine's own choice: see expect_cycle(). */
static bool waits_for_semaphore(const struct made *m, const long *p)
{
    for (int i = 0; i < 3; i++)
        if (p[i] >= 0 && m->t->event[p[i]].kind == HD_SEM_WAIT)
            return true;
    return false;
}

static void parse(const struct made *m, char *text)
{
    line_count[1] = 0;
    while (text && *text) {
        char *row = strsep(&text, "\n"), *kind = strsep(&row, "\t");
        long p[3];
        for (int i = 0; i < 3; i++)
            p[i] = field(&row);
        const char *verdict = strsep(&row, "\t");
        open_count += !strcmp(verdict, "open");
        if (!strcmp(kind, "misuse") ||
            (!strcmp(kind, "deadlock") && !strcmp(verdict, "impossible") && waits_for_semaphore(m, p)))
            continue;
        if (!strcmp(kind, "deadlock") || !strcmp(kind, "race") || !strcmp(kind, "memory") ||
            !strcmp(kind, "wakeup"))
            line(1, kind, p, verdict);
        else if (!strcmp(kind, "initial"))
            line(1, kind, (long[]){p[0], -1, -1}, verdict);
        else
            line(1, "triplet", (long[]){p[0], p[2], -1}, verdict);
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void print_trace(const struct made *m, unsigned seed)
{
    printf("trace %u, values %d\n", seed, m->t->has_values);
    for (unsigned i = 0; i < m->t->events; i++) {
        const struct hd_event *e = &m->t->event[i];
        printf("  %2u thread %u %s object %d address %llx size %u value %llx\n", i, e->thread, hd_kind_word(e->kind),
               (int)e->object, (unsigned long long)e->address, e->size, (unsigned long long)e->value);
    }
}

static void judge(const struct made *m, unsigned seed)
{
    bool shown = false;
    unsigned i = 0, j = 0;
    for (int side = 0; side < 2; side++)
        qsort(lines[side], line_count[side], sizeof lines[0][0], compare);
    while (i < line_count[0] || j < line_count[1]) {
        int order = i == line_count[0] ? 1 : j == line_count[1] ? -1 : strcmp(lines[0][i], lines[1][j]);
        if (!order)
            feasible += strstr(lines[0][i], "witness") != NULL;
        if (order && !shown)
            print_trace(m, seed);
        shown |= order != 0;
        if (order < 0)
            printf("  oracle only: %s\n", lines[0][i]);
        if (order > 0)
            printf("  engine only: %s\n", lines[1][j]);
        i += order <= 0;
        j += order >= 0;
    }
    total += line_count[0];
    passed += !shown;
    failed += shown;
}

int main(int argc, char **argv)
{
    unsigned traces = argc > 1 ? (unsigned)atoi(argv[1]) : 12000;
    static struct made m;
    table = malloc(TABLE * sizeof *table);
    used = calloc(TABLE, sizeof *used);
    visited = malloc(TABLE * sizeof *visited);
    if (!table || !used || !visited)
        return 2;
    for (unsigned seed = 0; seed < traces; seed++) {
        char *text = NULL;
        size_t size = 0;
        generate(&m, seed);
        enumerate(&m);
        struct hd_analyze_options options = {.kinds = HD_KINDS_ALL, .all = true, .verify = true,
                                             .account = open_memstream(&text, &size)};
        struct hd_symbols *symbols = hd_symbols_new(m.t);
        struct hd_analysis *a = hd_analyze(m.t, symbols, &options);
        fclose(options.account);
        parse(&m, text);
        judge(&m, seed);
        free(text);
        hd_analysis_free(a);
        hd_symbols_free(symbols);
        hd_trace_free(m.t);
    }
    printf("%u passed, %u failed: %lu candidates, %lu feasible, %lu cycles, %lu with a join, %lu of tenants, %lu open\n", passed,
           failed, total, feasible, cycles_seen, joins_seen, tenants_seen, open_count);
    free(table);
    free(used);
    free(visited);
    return failed || open_count || total < 10000 ? 1 : 0;
}
