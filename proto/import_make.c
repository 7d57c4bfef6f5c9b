/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/import_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

#define NEVER SIZE_MAX
#define WORD 8
#define FIRST_ADDRESS 0x10000
#define DEPTH_MAX 64 /* of creation; the path of a thread grows with it */

struct thread {
    size_t fork_at, last; /* in the file; last: but for marks */
    bool started, ended, joined;
    uint32_t index, children, depth, syncs, accesses;
    uint32_t waits_on; /* condition + 1 */
    size_t wait_at;
};

struct lock { uint32_t object, holder, depth; };
struct condition { uint32_t object, waiters, tokens; size_t signal_at; };

struct maker {
    struct hd_import *im;
    struct hd_trace *trace;
    char *error;
    size_t error_size, at;
    struct thread *thread;
    struct lock *lock;
    struct condition *condition;
    uint64_t *variable; /* addresses, 0 before the first use */
    uint32_t *site;
    uint64_t next_address;
    struct thread *root;
};

static const char *thread_name(const struct maker *m, uint32_t thread)
{
    return hd_name_text(&m->im->threads, thread);
}

/* 0 where repaired, -1 where the trace is refused. */
__attribute__((format(printf, 3, 4))) static int fault(struct maker *m, enum hd_fault what, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bool repaired =
        hd_import_fault(m->im, what, m->im->event[m->at].number, m->error, m->error_size, fmt, args);
    va_end(args);
    return repaired ? 0 : -1;
}

/* ------------------------------------------------------------- naming */

static void register_thread(struct maker *m, uint32_t thread, struct thread *parent)
{
    struct thread *t = &m->thread[thread];
    char *path;
    if (t->index != HD_NO_INDEX)
        return;
    if (!m->root) {
        m->root = t;
        path = hd_strdup("0");
    } else {
        parent = parent && parent->depth < DEPTH_MAX ? parent : m->root;
        path = hd_format("%s.%u", m->trace->thread[parent->index].path, ++parent->children);
        t->depth = parent->depth + 1;
    }
    t->index = hd_trace_add_thread(m->trace, path, 0, 0);
    hd_trace_name_thread(m->trace, t->index, thread_name(m, thread));
    free(path);
}

static uint64_t new_address(struct maker *m, const char *name)
{
    uint64_t address = m->next_address;
    m->next_address += WORD;
    hd_trace_add_datum(m->trace, address, WORD, name);
    return address;
}

static uint32_t object_of(struct maker *m, uint32_t *object, uint32_t kind, const char *name)
{
    if (*object == HD_NO_INDEX)
        *object = hd_trace_add_object(m->trace, kind, new_address(m, name));
    return *object;
}

static uint32_t lock_object(struct maker *m, uint32_t lock)
{
    return object_of(m, &m->lock[lock].object, HD_OBJECT_MUTEX, hd_name_text(&m->im->locks, lock));
}

static uint32_t condition_object(struct maker *m, uint32_t condition)
{
    return object_of(m, &m->condition[condition].object, HD_OBJECT_COND,
                     hd_name_text(&m->im->conditions, condition));
}

/* A number as we would write it is a line of the traced program; else the text is a source of its own. */
static uint32_t site_of(struct maker *m, uint32_t location)
{
    if (m->site[location] != HD_NO_INDEX)
        return m->site[location];
    const char *text = hd_name_text(&m->im->locations, location);
    char *end, plain[24];
    unsigned long long line = strtoull(text, &end, 10);
    snprintf(plain, sizeof plain, "%llu", line);
    if (*text == 0)
        return HD_NO_INDEX;
    if (line <= UINT32_MAX && strcmp(plain, text) == 0)
        m->site[location] = hd_trace_add_site(m->trace, 0, line);
    else
        m->site[location] = hd_trace_add_site(m->trace, hd_trace_add_module(m->trace, text, "", 0, 0), HD_NO_LINE);
    return m->site[location];
}

/* ------------------------------------------------------------- events */

static struct hd_event *emit(struct maker *m, uint32_t thread, unsigned kind)
{
    struct thread *t = &m->thread[thread];
    register_thread(m, thread, NULL);
    struct hd_event *e = hd_trace_add_event(m->trace);
    e->kind = (uint8_t)kind;
    e->thread = t->index;
    t->started = true;
    /* Accesses before the first synchronization event share its n: their k goes on. */
    if (hd_kind_is_sync(kind) && t->syncs++ > 0)
        t->accesses = 0;
    e->n = t->syncs ? t->syncs - 1 : 0;
    if (hd_kind_is_access(kind))
        e->k = t->accesses++;
    return e;
}

static struct hd_event *emit_here(struct maker *m, unsigned kind)
{
    const struct hd_import_event *in = &m->im->event[m->at];
    struct hd_event *e = emit(m, in->thread, kind);
    e->site = site_of(m, in->location);
    return e;
}

static int make_access(struct maker *m, const struct hd_import_event *in)
{
    uint64_t *address = &m->variable[in->operand];
    if (!*address)
        *address = new_address(m, hd_name_text(&m->im->variables, in->operand));
    struct hd_event *e = emit_here(m, in->op == HD_IMPORT_READ ? HD_READ : HD_WRITE);
    e->address = *address;
    e->size = WORD;
    return 0;
}

static int take_from_holder(struct maker *m, const struct hd_import_event *in)
{
    struct lock *lock = &m->lock[in->operand];
    const struct thread *holder = &m->thread[lock->holder];
    bool gone = holder->ended || holder->joined || holder->waits_on;
    if (fault(m, gone ? HD_FAULT_HELD_FOREVER : HD_FAULT_HELD, "%.40s acquires %.40s, which %.40s holds",
              thread_name(m, in->thread), hd_name_text(&m->im->locks, in->operand),
              thread_name(m, lock->holder)) != 0)
        return -1;
    for (; !gone && lock->depth > 0; lock->depth--)
        emit(m, lock->holder, HD_UNLOCK)->object = lock->object;
    return 0;
}

static int make_acquire(struct maker *m, const struct hd_import_event *in)
{
    struct lock *lock = &m->lock[in->operand];
    if (lock->depth && lock->holder != in->thread && take_from_holder(m, in) != 0)
        return -1;
    if (lock->depth && lock->holder != in->thread)
        return 0;
    lock->holder = in->thread;
    lock->depth++;
    uint32_t object = lock_object(m, in->operand);
    emit_here(m, HD_LOCK)->object = object;
    return 0;
}

static int make_release(struct maker *m, const struct hd_import_event *in)
{
    struct lock *lock = &m->lock[in->operand];
    if (lock->depth == 0 || lock->holder != in->thread)
        return fault(m, HD_FAULT_NOT_HELD, "%.40s releases %.40s, which %.40s", thread_name(m, in->thread),
                     hd_name_text(&m->im->locks, in->operand),
                     lock->depth ? "another thread holds" : "nobody holds");
    if (--lock->depth > 0 || !in->condition) {
        emit_here(m, HD_UNLOCK)->object = lock->object;
        return 0;
    }
    uint32_t object = condition_object(m, in->condition - 1);
    struct hd_event *e = emit_here(m, HD_COND_WAIT);
    e->object = object;
    e->value = (uint64_t)lock->object + 1;
    m->thread[in->thread].waits_on = in->condition;
    m->thread[in->thread].wait_at = m->at;
    m->condition[in->condition - 1].waiters++;
    return 0;
}

static int make_signal(struct maker *m, const struct hd_import_event *in)
{
    struct condition *c = &m->condition[in->operand];
    c->tokens += c->tokens < c->waiters;
    c->signal_at = m->at;
    uint32_t object = condition_object(m, in->operand);
    emit_here(m, HD_SIGNAL)->object = object;
    return 0;
}

static int make_wake(struct maker *m, const struct hd_import_event *in)
{
    struct condition *c = &m->condition[in->operand];
    struct thread *t = &m->thread[in->thread];
    const char *name = hd_name_text(&m->im->conditions, in->operand);
    if (t->waits_on != in->operand + 1)
        return fault(m, HD_FAULT_WAKE, "%.40s wakes up on %.40s without a release just before",
                     thread_name(m, in->thread), name);
    bool signalled = c->tokens > 0 && c->signal_at != NEVER && c->signal_at > t->wait_at;
    if (!signalled && fault(m, HD_FAULT_SIGNAL, "%.40s wakes up on %.40s, which nobody signalled since",
                            thread_name(m, in->thread), name) != 0)
        return -1;
    t->waits_on = 0;
    c->waiters--;
    c->tokens -= signalled;
    struct hd_event *e = emit_here(m, HD_COND_WAKE);
    e->object = c->object;
    e->value = signalled;
    return 0;
}

static int make_fork(struct maker *m, const struct hd_import_event *in)
{
    struct thread *child = &m->thread[in->operand];
    if (in->operand == in->thread || child->index != HD_NO_INDEX)
        return fault(m, HD_FAULT_FORK, "%.40s forks %.40s, which is already there", thread_name(m, in->thread),
                     thread_name(m, in->operand));
    register_thread(m, in->thread, NULL);
    register_thread(m, in->operand, &m->thread[in->thread]);
    emit_here(m, HD_CREATE)->value = child->index;
    return 0;
}

static int make_join(struct maker *m, const struct hd_import_event *in)
{
    struct thread *child = &m->thread[in->operand];
    bool later = child->fork_at != NEVER && child->fork_at > m->at && child->index == HD_NO_INDEX;
    bool runs = in->operand == in->thread || (child->last != NEVER && child->last > m->at);
    if (later || runs || child->joined)
        return fault(m, HD_FAULT_JOIN, "%.40s joins %.40s, which %s", thread_name(m, in->thread),
                     thread_name(m, in->operand),
                     runs ? "runs on" : later ? "is forked only later" : "was joined before");
    register_thread(m, in->thread, NULL);
    register_thread(m, in->operand, NULL);
    child->joined = true;
    emit_here(m, HD_JOIN)->value = child->index;
    return 0;
}

/* NULL where the mark fits. */
static const char *mark_fault(const struct maker *m, const struct hd_import_event *in)
{
    const struct thread *t = &m->thread[in->thread];
    if (t->fork_at != NEVER && t->fork_at > m->at && t->index == HD_NO_INDEX)
        return "it is forked only later";
    if (t->ended || t->joined)
        return "it has ended";
    if (in->op == HD_IMPORT_BEGIN)
        return t->started ? "it already runs" : NULL;
    return t->last != NEVER && t->last > m->at ? "it runs on" : NULL;
}

static int make_mark(struct maker *m, const struct hd_import_event *in)
{
    bool begins = in->op == HD_IMPORT_BEGIN;
    const char *wrong = mark_fault(m, in);
    if (wrong && m->im->how.loose_marks)
        return 0;
    if (wrong)
        return fault(m, HD_FAULT_MARK, "%.40s %s, but %s", thread_name(m, in->thread), begins ? "begins" : "ends",
                     wrong);
    emit_here(m, begins ? HD_START : HD_END);
    m->thread[in->thread].ended = !begins;
    return 0;
}

static int make_event(struct maker *m, const struct hd_import_event *in)
{
    const struct thread *t = &m->thread[in->thread];
    bool mark = in->op == HD_IMPORT_BEGIN || in->op == HD_IMPORT_END;
    if (!mark && !m->im->how.repairs && t->index == HD_NO_INDEX && t->fork_at != NEVER && t->fork_at > m->at)
        return fault(m, HD_FAULT_FORK, "%.40s runs before its fork (%s %llu)", thread_name(m, in->thread),
                     m->im->how.place, (unsigned long long)m->im->event[t->fork_at].number);
    switch (in->op) {
    case HD_IMPORT_ACQUIRE: return make_acquire(m, in);
    case HD_IMPORT_RELEASE: return make_release(m, in);
    case HD_IMPORT_FORK: return make_fork(m, in);
    case HD_IMPORT_JOIN: return make_join(m, in);
    case HD_IMPORT_SIGNAL: return make_signal(m, in);
    case HD_IMPORT_WAKE: return make_wake(m, in);
    case HD_IMPORT_BEGIN:
    case HD_IMPORT_END: return make_mark(m, in);
    default: return make_access(m, in);
    }
}

/* ---------------------------------------------------------- look ahead */

/* When each thread is forked and last runs, and which releases begin a wait. */
static void look_ahead(struct maker *m)
{
    struct hd_import *im = m->im;
    uint32_t *wakes = hd_alloc(im->threads.count * sizeof *wakes);
    for (size_t i = im->events; i-- > 0;) {
        struct hd_import_event *in = &im->event[i];
        struct thread *t = &m->thread[in->thread];
        bool access = in->op == HD_IMPORT_READ || in->op == HD_IMPORT_WRITE;
        if (in->op == HD_IMPORT_FORK)
            m->thread[in->operand].fork_at = i;
        if (in->op != HD_IMPORT_BEGIN && in->op != HD_IMPORT_END && t->last == NEVER)
            t->last = i;
        if (in->op == HD_IMPORT_RELEASE)
            in->condition = wakes[in->thread];
        if (!access)
            wakes[in->thread] = in->op == HD_IMPORT_WAKE ? in->operand + 1 : 0;
    }
    free(wakes);
}

static void prepare(struct maker *m)
{
    struct hd_import *im = m->im;
    m->thread = hd_alloc(im->threads.count * sizeof *m->thread);
    m->lock = hd_alloc(im->locks.count * sizeof *m->lock);
    m->condition = hd_alloc(im->conditions.count * sizeof *m->condition);
    m->variable = hd_alloc(im->variables.count * sizeof *m->variable);
    m->site = hd_alloc(im->locations.count * sizeof *m->site);
    for (size_t i = 0; i < im->threads.count; i++)
        m->thread[i] = (struct thread){.fork_at = NEVER, .last = NEVER, .index = HD_NO_INDEX};
    for (size_t i = 0; i < im->locks.count; i++)
        m->lock[i].object = HD_NO_INDEX;
    for (size_t i = 0; i < im->conditions.count; i++)
        m->condition[i] = (struct condition){.object = HD_NO_INDEX, .signal_at = NEVER};
    for (size_t i = 0; i < im->locations.count; i++)
        m->site[i] = HD_NO_INDEX;
    look_ahead(m);
}

/* "jigsaw" from "x/jigsaw.data". */
static char *test_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    return hd_format("%.*s", dot && dot != base ? (int)(dot - base) : (int)strlen(base), base);
}

struct hd_trace *hd_import_finish(struct hd_import *im, char *error, size_t error_size)
{
    struct maker m = {.im = im, .trace = hd_trace_new(), .error = error, .error_size = error_size,
                      .next_address = FIRST_ADDRESS};
    free(m.trace->test);
    m.trace->test = test_name(im->how.file);
    hd_trace_add_module(m.trace, m.trace->test, "", 0, 0);
    prepare(&m);
    int result = 0;
    for (m.at = 0; m.at < im->events && result == 0; m.at++)
        result = make_event(&m, &im->event[m.at]);
    m.trace->complete = true;
    free(m.thread);
    free(m.lock);
    free(m.condition);
    free(m.variable);
    free(m.site);
    if (result == 0)
        return m.trace;
    hd_trace_free(m.trace);
    return NULL;
}
