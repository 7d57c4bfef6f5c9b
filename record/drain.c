/* SPDX-License-Identifier: Apache-2.0 */
#include "record/drain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/heddle.pb-c.h"
#include "proto/memory.h"
#include "record/value_shadow.h"

#define THREADS_MAX 65536

struct site_slot { uint64_t pc; uint32_t site; bool used; };

struct hd_drain {
    const struct hd_program *program;
    char *const *argv;
    const char *declare, *cwd;
    uint64_t seed;
    hd_drain_done *done;
    hd_drain_begin *begin;
    void *data;
    bool aslr_off;
    uint64_t bytes_max, memory_max;

    struct hd_trace *trace;
    struct hd_trace_writer *writer;
    uint64_t written;       /* events that went to the writer */
    size_t settled;         /* events in memory that nothing will be put before */
    struct hd_event *late;  /* last reads, not yet in place */
    size_t lates, late_room;
    struct hd_value_shadow *shadow;
    uint32_t *made; /* synchronization events of each thread so far */
    struct site_slot *site;
    size_t site_slots, sites;
    bool ended, passed;

    struct hd_record head; /* whose text is being collected */
    unsigned pieces, piece;
    char text[256 * sizeof(struct hd_record)];
};

struct hd_drain *hd_drain_new(const struct hd_program *program, char *const *argv, uint64_t seed, hd_drain_done *done,
                              void *data)
{
    struct hd_drain *d = hd_alloc(sizeof *d);
    d->program = program;
    d->argv = argv;
    d->seed = seed;
    d->done = done;
    d->data = data;
    return d;
}

void hd_drain_stream(struct hd_drain *d, hd_drain_begin *begin, uint64_t bytes)
{
    d->begin = begin;
    d->bytes_max = bytes;
}

void hd_drain_limit(struct hd_drain *d, uint64_t memory) { d->memory_max = memory; }

void hd_drain_aslr_off(struct hd_drain *d, bool off) { d->aslr_off = off; }

void hd_drain_declare(struct hd_drain *d, const char *path)
{
    d->declare = path;
}

void hd_drain_cwd(struct hd_drain *d, const char *path) { d->cwd = path; }

static void forget_test(struct hd_drain *d)
{
    free(d->late);
    d->late = NULL;
    d->lates = d->late_room = d->settled = 0;
    d->written = 0;
    hd_trace_free(d->trace);
    hd_value_shadow_free(d->shadow);
    free(d->made);
    free(d->site);
    d->trace = NULL;
    d->shadow = NULL;
    d->made = NULL;
    d->site = NULL;
    d->site_slots = d->sites = 0;
}

void hd_drain_free(struct hd_drain *d)
{
    forget_test(d);
    free(d);
}

static int compare_k(const void *a, const void *b)
{
    const struct hd_event *p = a, *q = b;
    if (p->k != q->k)
        return p->k < q->k ? -1 : 1;
    return (q->kind == HD_UNSEEN_WRITE) - (p->kind == HD_UNSEEN_WRITE);
}

/* Events that k orders within an interval. */
static inline bool has_place(const struct hd_event *e)
{
    return e->kind == HD_READ || e->kind == HD_WRITE || e->kind == HD_UNSEEN_WRITE || hd_kind_is_access(e->kind);
}

/* The interval is over: late reads go among its accesses, by k. */
static void settle(struct hd_drain *d)
{
    struct hd_trace *t = d->trace;
    size_t old = t->events, late = d->lates;
    if (late) {
        qsort(d->late, late, sizeof *d->late, compare_k);
        for (size_t i = 0; i < late; i++)
            hd_trace_add_event(t);
        for (size_t to = t->events; late; to--) {
            const struct hd_event *last = old > d->settled ? &t->event[old - 1] : NULL;
            bool keep = last && has_place(last) && last->k > d->late[late - 1].k;
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there are `late` events more than before */
            t->event[to - 1] = keep ? t->event[--old] : d->late[--late];
        }
        d->lates = 0;
    }
    d->settled = t->events;
}

static void write_out(struct hd_drain *d, size_t count)
{
    struct hd_trace *t = d->trace;
    hd_trace_writer_put(d->writer, t, t->event, count);
    if (t->events > count) /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): then there are events */
        memmove(t->event, t->event + count, (t->events - count) * sizeof *t->event);
    t->events -= count;
    d->settled -= count;
    d->written += count;
    if (d->bytes_max && hd_trace_writer_bytes(d->writer) >= d->bytes_max)
        t->capped = true;
}

static void trace_done(struct hd_drain *d, unsigned outcome, unsigned detail)
{
    struct hd_trace *t = d->trace;
    t->outcome = outcome;
    t->detail = detail;
    t->complete = true;
    settle(d);
    if (d->writer)
        write_out(d, t->events);
    d->trace = NULL;
    d->done(t, d->writer, d->data);
    d->writer = NULL;
    forget_test(d);
}

static void set_text(char **slot, char *text)
{
    free(*slot);
    *slot = text;
}

static void test_begin(struct hd_drain *d, const char *suite, const char *test)
{
    if (d->trace)
        trace_done(d, d->ended && d->passed ? HEDDLE__OUTCOME__PASSED : HEDDLE__OUTCOME__ASSERTION_FAILED, 0);
    struct hd_trace *t = d->trace = hd_trace_new();
    set_text(&t->program, hd_strdup(d->program->path));
    set_text(&t->build_id, hd_strdup(d->program->build_id));
    set_text(&t->suite, hd_strdup(suite));
    if (d->declare)
        set_text(&t->declare, hd_strdup(d->declare));
    set_text(&t->test, hd_strdup(test));
    set_text(&t->cwd, d->cwd ? hd_strdup(d->cwd) : getcwd(NULL, 0));
    t->seed = d->seed;
    t->has_values = true;
    while (d->argv[t->argc])
        t->argc++;
    t->argv = hd_alloc((t->argc + 1) * sizeof *t->argv);
    for (size_t i = 0; i < t->argc; i++)
        t->argv[i] = hd_strdup(d->argv[i]);
    t->aslr_off = d->aslr_off;
    d->writer = d->begin ? d->begin(t, d->data) : NULL;
    d->shadow = hd_value_shadow_new(d->memory_max / 4);
    d->made = hd_alloc(THREADS_MAX * sizeof *d->made);
    d->ended = false;
}

static void add_module(struct hd_drain *d, const struct hd_record *r, const char *path)
{
    const char *file = *path ? path : d->program->path;
    char *id = *path ? hd_build_id(file) : hd_strdup(d->program->build_id);
    hd_trace_add_module(d->trace, file, id, hd_record_address(r), r->value);
    free(id);
}

static uint32_t new_site(struct hd_trace *t, uint64_t pc)
{
    for (uint32_t i = 0; i < t->modules; i++)
        if (pc >= t->module[i].base && pc - t->module[i].base < t->module[i].size)
            return hd_trace_add_site(t, i, pc - t->module[i].base);
    return hd_trace_add_site(t, HD_NO_INDEX, pc);
}

static void grow_sites(struct hd_drain *d)
{
    size_t slots = d->site_slots ? d->site_slots * 2 : 1024;
    struct site_slot *site = hd_alloc(slots * sizeof *site);
    for (size_t i = 0; i < d->site_slots; i++) {
        if (!d->site[i].used)
            continue;
        size_t j = (size_t)(d->site[i].pc * 0x9E3779B97F4A7C15ull >> 32) & (slots - 1);
        while (site[j].used)
            j = (j + 1) & (slots - 1);
        site[j] = d->site[i];
    }
    free(d->site);
    d->site = site;
    d->site_slots = slots;
}

static uint32_t site_of(struct hd_drain *d, uint64_t pc)
{
    if (!pc)
        return HD_NO_INDEX;
    if (d->sites * 2 >= d->site_slots)
        grow_sites(d);
    size_t i = (size_t)(pc * 0x9E3779B97F4A7C15ull >> 32) & (d->site_slots - 1);
    for (; d->site[i].used; i = (i + 1) & (d->site_slots - 1))
        if (d->site[i].pc == pc)
            return d->site[i].site;
    d->site[i] = (struct site_slot){ pc, new_site(d->trace, pc), true };
    d->sites++;
    return d->site[i].site;
}

static void add_thread(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_trace *t = d->trace;
    uint32_t parent = (uint32_t)r->value, child = (uint32_t)(r->value >> 32);
    if (r->thread != t->threads)
        return;
    char *path = child && parent < t->threads ? hd_format("%s.%u", t->thread[parent].path, child) : hd_strdup("0");
    hd_trace_add_thread(t, path, 0, 0);
    free(path);
}

static struct hd_event event_of(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_event e = { .kind = r->kind, .size = r->size, .thread = r->thread, .value = r->value };
    e.object = HD_NO_INDEX;
    e.size = e.size > 8 ? 8 : e.size;
    e.stack = r->stack && r->stack <= d->trace->stacks ? r->stack - 1 : HD_NO_INDEX;
    e.site = site_of(d, hd_record_pc(r));
    e.n = d->made[r->thread] ? d->made[r->thread] - 1 : 0;
    return e;
}

static bool in_interval(const struct hd_event *e, const struct hd_event *before)
{
    return e->thread == before->thread && e->n == before->n && has_place(e);
}

/* Appends; where the event is not of the interval under way, that one is settled. */
static void put(struct hd_drain *d, const struct hd_event *e)
{
    struct hd_trace *t = d->trace;
    const struct hd_event *before = d->lates ? &d->late[0] : t->events ? &t->event[t->events - 1] : NULL;
    if (before && !in_interval(e, before))
        settle(d);
    if (d->writer && d->settled >= HD_CHUNK_EVENTS)
        write_out(d, d->settled);
    HD_GROW(t->event, t->events, t->events_room);
    t->event[t->events++] = *e;
}

static void put_late(struct hd_drain *d, const struct hd_event *e)
{
    HD_GROW(d->late, d->lates, d->late_room);
    d->late[d->lates++] = *e;
}

static void sync_event(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_event e = event_of(d, r);
    uint64_t object = hd_record_address(r);
    e.size = 0;
    if (object && object <= d->trace->objects)
        e.object = (uint32_t)object - 1;
    if (hd_kind_is_sync(r->kind))
        e.n = d->made[r->thread]++;
    put(d, &e);
}

/* Loads that were dropped before this one count in n. */
static void atomic_event(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_event e = event_of(d, r);
    e.address = hd_record_address(r);
    e.k = r->kind == HD_ATOMIC_LOAD ? hd_record_k(r) : 0;
    if (r->kind != HD_ATOMIC_STORE && hd_value_shadow_differs(d->shadow, e.address, e.size, e.value)) {
        struct hd_event unseen = e;
        unseen.kind = HD_UNSEEN_WRITE;
        unseen.k = 0;
        put(d, &unseen);
    }
    hd_value_shadow_set(d->shadow, e.address, e.size, e.value);
    e.n = d->made[r->thread] + e.k;
    d->made[r->thread] = e.n + 1;
    put(d, &e);
}

static void second_value(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_event *e = d->trace->events ? &d->trace->event[d->trace->events - 1] : NULL;
    if (!e || e->kind != HD_ATOMIC_RMW)
        return;
    e->second = r->value;
    hd_value_shadow_set(d->shadow, e->address, e->size, e->second);
}

/* A read is compared with what was seen last. */
static void access_event(struct hd_drain *d, const struct hd_event *e, void add(struct hd_drain *, const struct hd_event *))
{
    struct hd_trace *t = d->trace;
    if (!d->writer && d->memory_max && t->events >= d->memory_max / 2 / sizeof *t->event)
        t->capped = true;
    if (t->capped)
        return;
    if (e->kind == HD_READ && hd_value_shadow_differs(d->shadow, e->address, e->size, e->value)) {
        struct hd_event unseen = *e;
        unseen.kind = HD_UNSEEN_WRITE;
        add(d, &unseen);
    }
    if (e->kind == HD_READ || e->kind == HD_WRITE)
        hd_value_shadow_set(d->shadow, e->address, e->size, e->value);
    if (e->kind == HD_ALLOC) /* what is read after a free is not what was there: an unseen write says so */
        hd_value_shadow_forget(d->shadow, e->address, e->value);
    add(d, e);
}

static struct hd_event access_of(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_event e = event_of(d, r);
    e.address = hd_record_address(r);
    e.k = hd_record_k(r);
    return e;
}

static void last_read(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_event e = access_of(d, r);
    e.kind = HD_READ;
    access_event(d, &e, put_late);
}

static void mark_event(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_event e = event_of(d, r);
    e.k = hd_record_k(r);
    if (e.kind == HD_EXPECT_RACE)
        e.address = hd_record_address(r);
    put(d, &e);
}

static void text_done(struct hd_drain *d)
{
    const struct hd_record *r = &d->head;
    d->text[sizeof d->text - 1] = 0;
    char *second = strchr(d->text, '\n');
    if (second)
        *second++ = 0;
    if (r->kind == HD_RING_TEST_BEGIN)
        test_begin(d, d->text, second ? second : "");
    else if (d->trace && r->kind == HD_RING_MODULE)
        add_module(d, r, d->text);
    else if (d->trace && r->kind == HD_RING_NOTE && d->written + d->trace->events)
        hd_trace_add_note(d->trace, d->written + d->trace->events - 1, d->text, (uint32_t)r->value, second ? second : "",
                          hd_record_address(r) != 0);
}

static void process_died(struct hd_drain *d, const struct hd_record *r)
{
    int status = (int)r->value;
    bool unknown = r->value == HD_STATUS_UNKNOWN;
    if (hd_trace_has_failed_note(d->trace))
        trace_done(d, HEDDLE__OUTCOME__ASSERTION_FAILED, 0);
    else if (hd_record_address(r) || (!unknown && status == 0))
        trace_done(d, HEDDLE__OUTCOME__PASSED, 0);
    else if (unknown)
        trace_done(d, HEDDLE__OUTCOME__KILLED, 0);
    else if (WIFSIGNALED(status))
        trace_done(d, HEDDLE__OUTCOME__CRASHED, (unsigned)WTERMSIG(status));
    else
        trace_done(d, HEDDLE__OUTCOME__EXITED, (unsigned)WEXITSTATUS(status));
}

static void unfinished(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_record access = *r;
    access.kind = (uint8_t)r->value;
    hd_drain_pending(d, &access);
}

static void table_record(struct hd_drain *d, const struct hd_record *r)
{
    struct hd_trace *t = d->trace;
    switch (r->kind) {
    case HD_RING_STACK:
        hd_trace_add_stack(t, r->value && r->value <= t->stacks ? (uint32_t)r->value - 1 : HD_NO_INDEX,
                           site_of(d, hd_record_address(r)));
        break;
    case HD_RING_THREAD: add_thread(d, r); break;
    case HD_RING_THREAD_STACK:
        if (r->thread < t->threads) {
            t->thread[r->thread].stack_low = hd_record_address(r);
            t->thread[r->thread].stack_size = r->value;
        }
        break;
    case HD_RING_OBJECT: hd_trace_add_object(t, (uint32_t)r->value, hd_record_address(r)); break;
    case HD_RING_LAST_READ: last_read(d, r); break;
    case HD_RING_SECOND: second_value(d, r); break;
    case HD_RING_REDUCED:
        t->reduced = true;
        t->capped |= r->value != 0;
        break;
    case HD_RING_UNFINISHED: unfinished(d, r); break;
    case HD_RING_DIED: process_died(d, r); break;
    case HD_RING_TEST_END:
        d->ended = true;
        d->passed = r->value;
        break;
    default: break;
    }
}

void hd_drain_record(struct hd_drain *d, const struct hd_record *r)
{
    if (d->pieces) {
        memcpy(d->text + sizeof *r * d->piece++, r, sizeof *r);
        if (--d->pieces == 0)
            text_done(d);
        return;
    }
    if (r->kind == HD_RING_TEST_BEGIN || r->kind == HD_RING_MODULE || r->kind == HD_RING_NOTE) {
        d->head = *r;
        d->pieces = r->size;
        d->piece = 0;
        memset(d->text, 0, sizeof d->text);
        return;
    }
    if (!d->trace || d->ended)
        return;
    if (r->kind >= HD_RING_STACK)
        table_record(d, r);
    else if (r->thread >= d->trace->threads || r->kind == HD_NONE || r->kind >= HD_KIND_COUNT)
        return;
    else if (hd_kind_is_atomic(r->kind))
        atomic_event(d, r);
    else if (r->kind != HD_READ && r->kind != HD_WRITE && (hd_kind_is_sync(r->kind) || r->kind == HD_BLOCKED))
        sync_event(d, r);
    else if (hd_kind_is_access(r->kind)) {
        struct hd_event e = access_of(d, r);
        access_event(d, &e, put);
    } else
        mark_event(d, r);
}

void hd_drain_pending(struct hd_drain *d, const struct hd_record *r)
{
    if (!d->trace || d->ended || r->thread >= d->trace->threads)
        return;
    struct hd_event e = access_of(d, r);
    e.value = 0;
    put(d, &e);
    d->trace->last_unknown = true;
}

void hd_drain_test_over(struct hd_drain *d, enum hd_ending ending)
{
    if (d->trace && !d->ended)
        trace_done(d, ending == HD_ENDING_DEADLOCK ? HEDDLE__OUTCOME__DEADLOCKED : HEDDLE__OUTCOME__KILLED, 0);
}

void hd_drain_end(struct hd_drain *d, const struct hd_session_result *result)
{
    if (!d->trace)
        return;
    struct hd_trace *t = d->trace;
    t->aslr_off = result->aslr_off;
    bool failed = hd_trace_has_failed_note(t) || (d->ended && !d->passed);
    if (d->ended && *t->suite)
        trace_done(d, d->passed ? HEDDLE__OUTCOME__PASSED : HEDDLE__OUTCOME__ASSERTION_FAILED, 0);
    else if (result->ending == HD_ENDING_DEADLOCK)
        trace_done(d, HEDDLE__OUTCOME__DEADLOCKED, 0);
    else if (result->ending == HD_ENDING_TIME)
        trace_done(d, HEDDLE__OUTCOME__TIMED_OUT, 0);
    else if (result->ending == HD_ENDING_DIVERGED || result->ending == HD_ENDING_INTERRUPTED)
        trace_done(d, HEDDLE__OUTCOME__KILLED, 0);
    else if (result->ending == HD_ENDING_SIGNAL)
        trace_done(d, hd_trace_has_failed_note(t) ? HEDDLE__OUTCOME__ASSERTION_FAILED : HEDDLE__OUTCOME__CRASHED,
                   (unsigned)result->status);
    else if (result->status)
        trace_done(d, hd_trace_has_failed_note(t) ? HEDDLE__OUTCOME__ASSERTION_FAILED : HEDDLE__OUTCOME__EXITED,
                   (unsigned)result->status);
    else
        trace_done(d, failed ? HEDDLE__OUTCOME__ASSERTION_FAILED : HEDDLE__OUTCOME__PASSED, 0);
}
