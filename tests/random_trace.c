// SPDX-License-Identifier: Apache-2.0
#include "tests/random_trace.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_state;

unsigned pick(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state * 0x2545f4914f6cdd1du >> 33) % n;
}

uint64_t object_address(unsigned object)
{
    return 0x9000 + 64 * object;
}

bool touches_object(const struct hd_event *e)
{
    switch (e->kind) {
    case HD_COND_WAKE:
    case HD_BARRIER_EXIT:
    case HD_ONCE_END:
    case HD_HB_BEFORE:
    case HD_HB_AFTER: return false;
    default: return e->object != HD_NO_INDEX;
    }
}

static bool in_block(const struct hd_event *block, unsigned object)
{
    uint64_t at = object_address(object);
    return (block->kind == HD_FREE || block->kind == HD_ALLOC) && at >= block->address && at < block->address + block->value;
}

int end_of_block(const struct made *m, unsigned object)
{
    const struct hd_event *event = m->t->event;
    int freed = -1;
    for (unsigned i = 0, used = 0; i < m->t->events && !(used && freed >= 0); i++) {
        if (in_block(&event[i], object))
            freed = event[i].kind == HD_FREE ? (int)i : used ? freed : -1;
        used |= event[i].object == object && touches_object(&event[i]);
    }
    return freed;
}

static struct hd_event *emit(struct made *m, unsigned thread, unsigned kind)
{
    struct hd_event *e = hd_trace_add_event(m->t);
    *e = (struct hd_event){.thread = thread, .kind = (uint8_t)kind, .object = HD_NO_INDEX,
                           .stack = HD_NO_INDEX, .site = HD_NO_INDEX};
    if (hd_kind_is_sync(kind)) {
        e->n = ++m->n[thread];
        m->k[thread] = 0;
    } else if (hd_kind_is_access(kind)) {
        e->n = m->n[thread];
        e->k = ++m->k[thread];
    }
    return e;
}

static struct hd_event *emit_on(struct made *m, unsigned thread, unsigned kind, unsigned object)
{
    struct hd_event *e = emit(m, thread, kind);
    e->object = object;
    return e;
}

static void emit_access(struct made *m, unsigned thread, unsigned kind, unsigned byte, unsigned size,
                        uint64_t address)
{
    size_t i = m->t->events;
    struct hd_event *e = emit(m, thread, kind);
    bool reads = kind == HD_READ || kind == HD_ATOMIC_LOAD || kind == HD_ATOMIC_RMW;
    bool writes = !reads || kind == HD_ATOMIC_RMW;
    uint64_t *written = kind == HD_ATOMIC_RMW ? &e->second : &e->value;
    e->address = address;
    e->size = (uint8_t)size;
    m->first[i] = byte;
    for (unsigned k = 0; k < size; k++) {
        if (reads) {
            m->seen[byte + k] |= !m->written[byte + k];
            e->value |= (uint64_t)m->memory[byte + k] << (8 * k);
        }
        if (writes) {
            m->memory[byte + k] = (uint8_t)pick(3);
            m->written[byte + k] = true;
            *written |= (uint64_t)m->memory[byte + k] << (8 * k);
        }
    }
}

/* A block in which some of the objects live comes or goes, wherever they are in use. */
static void random_tenancy(struct made *m, unsigned thread)
{
    m->first[m->t->events] = BYTES;
    struct hd_event *e = emit(m, thread, pick(3) ? HD_FREE : HD_ALLOC);
    e->address = object_address(pick(OBJECTS));
    e->value = 64 * (1 + pick(2));
}

static void random_access(struct made *m, unsigned thread, bool atomics)
{
    static const struct { unsigned byte, size; uint64_t address; } where[] = {
        {0, 1, 0x1000}, {0, 1, 0x1000}, {1, 2, 0x2000}, {1, 1, 0x2000}, {2, 1, 0x2001}, {0, 1, 0x3000}};
    unsigned at = pick(6), byte = at == 5 ? m->heap : where[at].byte, kind = pick(2) ? HD_READ : HD_WRITE;
    if (atomics && !pick(2))
        kind = HD_ATOMIC_LOAD + pick(3);
    if (at == 5 && !pick(6) && m->bytes < BYTES) {
        if (m->heap != 3) {
            m->first[m->t->events] = m->heap;
            struct hd_event *freed = emit(m, thread, HD_FREE);
            freed->address = 0x3000;
            freed->value = 4;
        }
        struct hd_event *e = emit(m, thread, HD_ALLOC);
        e->address = 0x3000;
        e->value = 4;
        byte = m->heap = m->bytes++;
    }
    unsigned place = at < 5 && m->places > 1 ? pick(m->places) : 0;
    uint64_t address = where[at].address + 0x10000 * place;
    byte += 4 * place;
    if (kind == HD_READ && !pick(20))
        emit_access(m, thread, HD_UNSEEN_WRITE, byte, where[at].size, address);
    emit_access(m, thread, kind, byte, where[at].size, address);
}

static bool held_elsewhere(const struct made *m, unsigned thread, unsigned lock)
{
    for (unsigned u = 0; u < m->threads; u++)
        if (u != thread && m->depth[u][lock])
            return true;
    return false;
}

static void random_lock(struct made *m, unsigned thread)
{
    unsigned lock = pick(LOCKS), kind = HD_LOCK;
    if (held_elsewhere(m, thread, lock)) {
        if (pick(3))
            return;
        kind = pick(2) ? HD_TRYLOCK_FAIL : HD_LOCK_TIMEOUT;
    } else if (m->depth[thread][lock] && pick(m->nested ? 4 : 8)) {
        kind = HD_UNLOCK;
    }
    struct hd_event *e = emit_on(m, thread, kind, lock);
    if (kind == HD_LOCK_TIMEOUT)
        e->value = HD_LOCK;
    m->depth[thread][lock] += kind == HD_LOCK ? 1 : kind == HD_UNLOCK ? -1 : 0;
}

static void random_rwlock(struct made *m, unsigned thread)
{
    bool elsewhere = held_elsewhere(m, thread, RWLOCK);
    int *depth = &m->depth[thread][RWLOCK];
    unsigned kind;
    if (*depth) {
        kind = m->writing || pick(3) ? HD_RWUNLOCK : HD_RDLOCK;
    } else if (elsewhere && m->writing) {
        kind = pick(4) ? 0 : pick(2) ? HD_TRYRDLOCK_FAIL : HD_LOCK_TIMEOUT;
    } else if (elsewhere) {
        kind = pick(3) ? HD_RDLOCK : pick(2) ? HD_TRYWRLOCK_FAIL : HD_LOCK_TIMEOUT;
    } else {
        kind = pick(2) ? HD_WRLOCK : HD_RDLOCK;
    }
    if (!kind)
        return;
    struct hd_event *e = emit_on(m, thread, kind, RWLOCK);
    if (kind == HD_LOCK_TIMEOUT)
        e->value = m->writing && pick(2) ? HD_RDLOCK : HD_WRLOCK;
    if (kind == HD_RDLOCK && m->polite)
        e->value = pick(8) != 0; /* or one with a time limit, who does not */
    *depth += kind == HD_RWUNLOCK ? -1 : kind == HD_RDLOCK || kind == HD_WRLOCK;
    m->writing = kind == HD_WRLOCK || (m->writing && (elsewhere || *depth));
}

static void random_condition(struct made *m, unsigned thread)
{
    if (m->depth[thread][0] == 1 && pick(3)) {
        emit_on(m, thread, HD_COND_WAIT, COND)->value = 1;
        m->depth[thread][0] = 0;
        m->waiting[thread] = true;
        return;
    }
    if (!m->depth[thread][0] && !held_elsewhere(m, thread, 0) && pick(3)) {
        emit_on(m, thread, HD_LOCK, 0);
        m->depth[thread][0]++;
        return;
    }
    bool all = !pick(3);
    emit_on(m, thread, all ? HD_BROADCAST : HD_SIGNAL, COND);
    for (unsigned from = pick(THREADS), i = 0; i < THREADS; i++) {
        unsigned u = (from + i) % THREADS;
        if (!m->waiting[u] || m->signalled[u])
            continue;
        m->signalled[u] = true;
        if (!all)
            break;
    }
}

static void random_wake(struct made *m, unsigned thread)
{
    if (!m->signalled[thread] && pick(m->lasting > 1 ? 60 : 6))
        return;
    emit_on(m, thread, HD_COND_WAKE, COND)->value = m->signalled[thread];
    m->waiting[thread] = m->signalled[thread] = false;
}

/* Two threads make a generation. */
static void random_barrier(struct made *m, unsigned thread)
{
    if (m->entered[thread]) {
        if (m->entered[thread] - 1 == m->generation)
            return;
        emit_on(m, thread, HD_BARRIER_EXIT, BARRIER)->value = m->entered[thread] - 1;
        m->entered[thread] = 0;
        return;
    }
    emit_on(m, thread, HD_BARRIER_ENTER, BARRIER)->value = m->generation;
    m->entered[thread] = m->generation + 1;
    m->inside = (m->inside + 1) % 2;
    m->generation += m->inside == 0;
}

static void random_semaphore(struct made *m, unsigned thread)
{
    unsigned kind = pick(2) ? HD_SEM_POST : m->semaphore ? HD_SEM_WAIT : HD_SEM_FAIL;
    struct hd_event *e = emit_on(m, thread, kind, SEMAPHORE);
    if (!m->semaphore_used)
        e->value = 1 + m->semaphore_start;
    m->semaphore_used = true;
    m->semaphore += kind == HD_SEM_POST ? 1u : kind == HD_SEM_WAIT ? -1u : 0u;
}

static void random_once(struct made *m, unsigned thread)
{
    if (!m->once) {
        emit_on(m, thread, HD_ONCE_BEGIN, ONCE);
        m->once = thread + 1;
    } else if (m->once == thread + 1) {
        emit_on(m, thread, HD_ONCE_END, ONCE);
        m->once = 100;
    } else if (m->once == 100) {
        emit_on(m, thread, HD_ONCE_PASS, ONCE);
    }
}

static void random_annotation(struct made *m, unsigned thread)
{
    bool after = m->before && pick(2);
    emit_on(m, thread, after ? HD_HB_AFTER : HD_HB_BEFORE, USER);
    m->before = true;
}

static bool holds_one(const struct made *m, unsigned thread)
{
    for (unsigned lock = 0; lock < LOCKS; lock++)
        if (m->depth[thread][lock])
            return true;
    return false;
}

static void random_thread_event(struct made *m, unsigned t)
{
    unsigned child = m->created + 1, other = pick(m->threads);
    if (child < m->threads && pick(2)) {
        m->created = child;
        emit(m, t, HD_CREATE)->value = child;
    } else if (other != t && m->ended[other] && !m->joined[other] && (!m->nested || holds_one(m, t) || !pick(4))) {
        m->joined[other] = true;
        emit(m, t, HD_JOIN)->value = other;
    } else if (other != t && other && other <= m->created && !m->ended[other] && !pick(2)) {
        emit(m, t, HD_JOIN_FAIL)->value = other;
    } else if (t && !pick(2) && (m->lasting < 2 || !pick(m->lasting))) {
        m->ended[t] = true;
        emit(m, t, HD_END);
    }
}

static void step(struct made *m, unsigned t, unsigned seed, unsigned lock_share)
{
    static void (*const extra[])(struct made *, unsigned) = {random_rwlock, random_condition, random_barrier,
                                                             random_semaphore, random_once, random_annotation};
    unsigned what = pick(100), which = seed % 9;
    if (!m->started[t]) {
        m->started[t] = true;
        emit(m, t, HD_START);
    } else if (m->waiting[t]) {
        random_wake(m, t);
    } else if (m->entered[t]) {
        random_barrier(m, t);
    } else if (what < (which == 8 ? 20 : 5) || (!t && m->created + 1 < m->threads && what < 60)) {
        random_thread_event(m, t);
    } else if (which < 6 && what < 50) {
        extra[which](m, t);
    } else if (which == 7 && what < 25) {
        extra[pick(6)](m, t);
    } else if (what < 5 + lock_share) {
        random_lock(m, t);
    } else if (seed % 4 == 2 && !pick(8)) {
        random_tenancy(m, t);
    } else {
        random_access(m, t, seed % 3 == 1);
    }
}

static void start(struct made *m, unsigned seed, unsigned threads, unsigned places)
{
    static const uint8_t kinds[OBJECTS] = {HD_OBJECT_MUTEX, HD_OBJECT_MUTEX, HD_OBJECT_SPIN, HD_OBJECT_RWLOCK,
                                           HD_OBJECT_COND, HD_OBJECT_BARRIER, HD_OBJECT_SEMAPHORE, HD_OBJECT_ONCE,
                                           HD_OBJECT_USER};
    random_state = (seed + 1) * 0x9e3779b97f4a7c15u;
    memset(m, 0, sizeof *m);
    m->t = hd_trace_new();
    m->t->has_values = seed % 5 > 1;
    m->threads = threads ? threads : 3 + pick(2);
    m->heap = 3;
    m->nested = seed % 9 == 6 || seed % 9 == 8;
    m->polite = seed / 9 % 2;
    m->places = places;
    m->bytes = 4 * places;
    m->semaphore = m->semaphore_start = pick(3);
    for (unsigned b = 0; b < BYTES; b++)
        m->memory[b] = m->initial[b] = (uint8_t)pick(2);
    for (unsigned i = 0; i < m->threads; i++) {
        char path[8];
        snprintf(path, sizeof path, i ? "0.%u" : "0", i);
        hd_trace_add_thread(m->t, path, 0, 0);
    }
    for (unsigned i = 0; i < OBJECTS; i++)
        hd_trace_add_object(m->t, kinds[i], object_address(i));
}

static void run(struct made *m, unsigned seed, unsigned events, unsigned tries)
{
    unsigned lock_share = seed % 3 == 0 || m->nested ? 80 : 20 + pick(30);
    while (m->t->events < events && tries-- > 0) {
        unsigned t = pick(m->threads);
        if (t <= m->created && !m->ended[t])
            step(m, t, seed, lock_share);
    }
}

void generate(struct made *m, unsigned seed)
{
    start(m, seed, 0, 1);
    run(m, seed, 20 + pick(13), 1000);
}

void generate_long(struct made *m, unsigned seed, unsigned threads, unsigned events, unsigned places)
{
    start(m, seed, threads, places);
    m->lasting = 1 + events / 40;
    run(m, seed, events, 40 * events);
}
