/* SPDX-License-Identifier: Apache-2.0
 * The columns: k, stack+1 and site+1 are differences to the event before in the
 * chunk (0 before the first), modulo their width; address likewise, to the event
 * before of the same sort, where locks and other events of an object are one sort,
 * accesses and the rest the other. A value is a difference where its address is
 * that of before, so that what a write does to what was read is a small number. n is not
 * stored: it counts the synchronization events of the thread, dropped atomic
 * loads included. */
#include "proto/trace_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "proto/frame.h"
#include "proto/heddle.pb-c.h"
#include "proto/memory.h"

#define CHUNK_EVENTS_MAX 65536
#define CHUNK_BYTES_MAX (CHUNK_EVENTS_MAX * 64ull) /* all columns of an event at their longest: 63 bytes */

struct reader {
    struct hd_trace *trace;
    uint32_t *syncs; /* per thread */
    size_t syncs_room;
    const char *name;
    char *error;
    size_t error_size;
    size_t at; /* of the message being read */
    size_t events_max; /* a few compressed bytes can be thousands of events */
};

/* A message of exactly one length-delimited field: its number, or 0. */
static unsigned only_field(const uint8_t *body, size_t size, const uint8_t **inner, size_t *inner_size)
{
    if (size < 2 || (body[0] & 7) != 2 || (body[0] & 0x80))
        return 0;
    uint64_t length = 0;
    size_t at = 1;
    for (unsigned shift = 0;; shift += 7) {
        if (at >= size || shift > 56)
            return 0;
        uint8_t byte = body[at++];
        length |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            break;
    }
    if (length != size - at)
        return 0;
    *inner = body + at;
    *inner_size = (size_t)length;
    return body[0] >> 3;
}

static bool is_header(const uint8_t *bytes, size_t size)
{
    Heddle__Header *header = heddle__header__unpack(NULL, size, bytes);
    bool ok = header && header->version != 0;
    if (header)
        heddle__header__free_unpacked(header, NULL);
    return ok;
}

enum hd_file_type hd_file_recognise(const uint8_t *bytes, size_t size)
{
    size_t offset = 0, body_size, inner_size;
    const uint8_t *body, *inner;
    if (hd_frame_next(bytes, size, &offset, &body, &body_size) != HD_FRAME_OK || body_size == 0)
        return HD_FILE_UNKNOWN;
    if (only_field(body, body_size, &inner, &inner_size) == HEDDLE__TRACE_ITEM__ITEM_HEADER)
        return is_header(inner, inner_size) ? HD_FILE_TRACE : HD_FILE_UNKNOWN;
    if (body[0] == 0x0A) {
        Heddle__Witness *witness = heddle__witness__unpack(NULL, body_size, body);
        bool ok = witness && witness->header && witness->header->version != 0 && witness->finding;
        if (witness)
            heddle__witness__free_unpacked(witness, NULL);
        return ok ? HD_FILE_WITNESS : HD_FILE_UNKNOWN;
    }
    Heddle__Verdict *verdict = heddle__verdict__unpack(NULL, body_size, body);
    bool ok = verdict && verdict->version != 0;
    if (verdict)
        heddle__verdict__free_unpacked(verdict, NULL);
    return ok ? HD_FILE_VERDICT : HD_FILE_UNKNOWN;
}

/* ------------------------------------------------------------ reading */

__attribute__((format(printf, 2, 3))) static int damaged(struct reader *r, const char *fmt, ...)
{
    char what[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    snprintf(r->error, r->error_size, "%s: damaged at byte %zu: %s; record again", r->name, r->at, what);
    return -1;
}

static void replace(char **slot, const char *text)
{
    free(*slot);
    *slot = hd_strdup(text);
}

static int read_header(struct reader *r, const uint8_t *bytes, size_t size)
{
    Heddle__Header *header = heddle__header__unpack(NULL, size, bytes);
    if (!header || header->version == 0) {
        if (header)
            heddle__header__free_unpacked(header, NULL);
        snprintf(r->error, r->error_size, "%s: not a heddle trace; make one with 'heddle record'", r->name);
        return -1;
    }
    if (header->version > HD_FORMAT_VERSION) {
        snprintf(r->error, r->error_size, "%s: made by a newer heddle (format %u, this one reads %d); update heddle",
                 r->name, header->version, HD_FORMAT_VERSION);
        heddle__header__free_unpacked(header, NULL);
        return -1;
    }
    struct hd_trace *t = r->trace;
    replace(&t->program, header->program);
    replace(&t->build_id, header->build_id);
    replace(&t->suite, header->suite);
    replace(&t->test, header->test);
    replace(&t->cwd, header->cwd);
    replace(&t->declare, header->declare);
    t->argv = hd_realloc(NULL, header->n_argv + 1, sizeof *t->argv);
    for (size_t i = 0; i < header->n_argv; i++)
        t->argv[t->argc++] = hd_strdup(header->argv[i]);
    t->argv[t->argc] = NULL;
    t->seed = header->seed;
    t->has_values = header->has_values;
    t->aslr_off = header->aslr_off;
    heddle__header__free_unpacked(header, NULL);
    return 0;
}

static int add_places(struct reader *r, const Heddle__Tables *tables)
{
    struct hd_trace *t = r->trace;
    for (size_t i = 0; i < tables->n_module; i++) {
        const Heddle__Module *m = tables->module[i];
        hd_trace_add_module(t, m->path, m->build_id, m->load_base, m->size);
    }
    for (size_t i = 0; i < tables->n_site; i++) {
        if (tables->site[i]->module > t->modules)
            return damaged(r, "a site is in unknown module %u", tables->site[i]->module);
        hd_trace_add_site(t, tables->site[i]->module - 1, tables->site[i]->offset);
    }
    for (size_t i = 0; i < tables->n_stack; i++) {
        const Heddle__Stack *s = tables->stack[i];
        if (s->parent > t->stacks)
            return damaged(r, "a stack's caller %u comes after it", s->parent);
        if (s->site >= t->sites && s->site != HD_NO_INDEX)
            return damaged(r, "a stack is at unknown site %u", s->site);
        hd_trace_add_stack(t, s->parent - 1, s->site);
    }
    return 0;
}

static int add_thread(struct reader *r, const Heddle__Thread *thread)
{
    struct hd_trace *t = r->trace;
    if (thread->again > t->threads)
        return damaged(r, "a stack belongs to unknown thread %u", thread->again);
    if (thread->again) {
        t->thread[thread->again - 1].stack_low = thread->stack_low;
        t->thread[thread->again - 1].stack_size = thread->stack_size;
    } else {
        uint32_t index = hd_trace_add_thread(t, thread->path, thread->stack_low, thread->stack_size);
        if (*thread->name)
            hd_trace_name_thread(t, index, thread->name);
    }
    return 0;
}

static int read_tables(struct reader *r, const uint8_t *bytes, size_t size)
{
    Heddle__Tables *tables = heddle__tables__unpack(NULL, size, bytes);
    if (!tables)
        return damaged(r, "a table cannot be decoded");
    int result = add_places(r, tables);
    struct hd_trace *t = r->trace;
    for (size_t i = 0; i < tables->n_thread && result == 0; i++) {
        result = add_thread(r, tables->thread[i]);
    }
    for (size_t i = 0; i < tables->n_object && result == 0; i++) {
        if (tables->object[i]->kind >= HD_OBJECT_COUNT)
            result = damaged(r, "unknown object kind %u", tables->object[i]->kind);
        else
            hd_trace_add_object(t, tables->object[i]->kind, tables->object[i]->address);
    }
    for (size_t i = 0; i < tables->n_note && result == 0; i++) {
        const Heddle__Note *n = tables->note[i];
        hd_trace_add_note(t, n->position, n->file, n->line, n->text, n->failed);
    }
    for (size_t i = 0; i < tables->n_datum && result == 0; i++) {
        const Heddle__Datum *d = tables->datum[i];
        if (t->data && d->address <= t->datum[t->data - 1].address)
            result = damaged(r, "the names of data are out of order");
        else
            hd_trace_add_datum(t, d->address, d->size, d->name);
    }
    heddle__tables__free_unpacked(tables, NULL);
    size_t room = r->syncs_room;
    if (t->threads > room) {
        r->syncs = hd_realloc(r->syncs, t->threads, sizeof *r->syncs);
        memset(r->syncs + room, 0, (t->threads - room) * sizeof *r->syncs);
        r->syncs_room = t->threads;
    }
    return result;
}

static int check_columns(struct reader *r, const Heddle__Chunk *c)
{
    size_t count = c->count;
    if (count > CHUNK_EVENTS_MAX)
        return damaged(r, "a chunk of %zu events", count);
    if (c->kind.len != count || c->size.len != count || c->n_k != count || c->n_stack != count ||
        c->n_site != count || c->n_address != count || (c->n_value ? c->n_value : c->n_change) != count || c->n_object != count)
        return damaged(r, "columns of different lengths");
    if (c->n_run_thread != c->n_run_length)
        return damaged(r, "thread runs without lengths");
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n_run_length; i++) {
        sum += c->run_length[i];
        if (c->run_thread[i] >= r->trace->threads)
            return damaged(r, "unknown thread %u", c->run_thread[i]);
    }
    size_t updates = 0;
    for (size_t i = 0; i < count; i++)
        updates += c->kind.data[i] == HD_ATOMIC_RMW;
    if (updates != c->n_second)
        return damaged(r, "atomic updates without the value written");
    return sum == count ? 0 : damaged(r, "thread runs do not add up");
}

static int check_event(struct reader *r, const struct hd_event *e)
{
    const struct hd_trace *t = r->trace;
    if (e->kind == HD_NONE || e->kind >= HD_KIND_COUNT)
        return damaged(r, "unknown event kind %u", e->kind);
    if (e->size > 8)
        return damaged(r, "an access of %u bytes", e->size);
    if (e->stack != HD_NO_INDEX && e->stack >= t->stacks)
        return damaged(r, "unknown stack %u", e->stack);
    if (e->site != HD_NO_INDEX && e->site >= t->sites)
        return damaged(r, "unknown site %u", e->site);
    if (e->object != HD_NO_INDEX && e->object >= t->objects)
        return damaged(r, "unknown object %u", e->object);
    if (e->object == HD_NO_INDEX && hd_kind_has_object(e->kind))
        return damaged(r, "an event '%s' of no object", hd_kind_word(e->kind));
    if ((e->kind == HD_CREATE || e->kind == HD_JOIN || e->kind == HD_JOIN_FAIL || e->kind == HD_DETACH) &&
        e->value >= t->threads)
        return damaged(r, "unknown thread %llu", (unsigned long long)e->value);
    if (e->kind == HD_COND_WAIT && e->value > t->objects)
        return damaged(r, "unknown object %llu", (unsigned long long)e->value);
    if (e->kind == HD_BLOCKED && (e->value == HD_NONE || e->value >= HD_KIND_COUNT))
        return damaged(r, "unknown event kind %llu", (unsigned long long)e->value);
    return 0;
}

static int add_chunk(struct reader *r, const Heddle__Chunk *c)
{
    if (check_columns(r, c) != 0)
        return -1;
    if (r->trace->events + c->count > r->events_max) {
        snprintf(r->error, r->error_size, "%s: holds more than %zu events, too many for the memory here; record with a "
                                          "smaller --size", r->name, r->events_max);
        return -1;
    }
    uint32_t k = 0, stack = 0, site = 0;
    struct { uint64_t address, value; } place[2] = {0};
    size_t run = 0, used = 0, seconds = 0;
    for (size_t i = 0; i < c->count; i++) {
        while (used == c->run_length[run]) {
            run++;
            used = 0;
        }
        used++;
        struct hd_event *e = hd_trace_add_event(r->trace);
        e->kind = c->kind.data[i];
        e->size = c->size.data[i];
        e->thread = c->run_thread[run];
        e->k = k += (uint32_t)c->k[i];
        e->stack = (stack += (uint32_t)c->stack[i]) - 1;
        e->site = (site += (uint32_t)c->site[i]) - 1;
        unsigned sort = !c->n_value && hd_kind_has_object(e->kind);
        e->address = place[sort].address += (uint64_t)c->address[i];
        e->value = c->n_value ? c->value[i] : (uint64_t)c->change[i] + (c->address[i] ? 0 : place[sort].value);
        place[sort].value = e->value;
        e->object = c->object[i] - 1;
        if (e->kind == HD_ATOMIC_RMW)
            e->second = c->second[seconds++];
        uint32_t *syncs = &r->syncs[e->thread];
        if (hd_kind_is_sync(e->kind))
            *syncs += 1 + (e->kind == HD_ATOMIC_LOAD ? e->k : 0);
        e->n = *syncs ? *syncs - 1 : 0;
        if (check_event(r, e) != 0)
            return -1;
    }
    return 0;
}

static int read_chunk(struct reader *r, const uint8_t *bytes, size_t size)
{
    Heddle__Chunk *chunk = heddle__chunk__unpack(NULL, size, bytes);
    if (!chunk)
        return damaged(r, "a chunk cannot be decoded");
    int result = add_chunk(r, chunk);
    heddle__chunk__free_unpacked(chunk, NULL);
    return result;
}

static int read_zstd_chunk(struct reader *r, const uint8_t *bytes, size_t size)
{
    unsigned long long content = ZSTD_getFrameContentSize(bytes, size);
    if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR || content > CHUNK_BYTES_MAX)
        return damaged(r, "a compressed chunk of unknown or excessive size");
    uint8_t *plain = hd_realloc(NULL, (size_t)content, 1);
    size_t got = ZSTD_decompress(plain, (size_t)content, bytes, size);
    int result = ZSTD_isError(got) || got != content ? damaged(r, "a compressed chunk cannot be unpacked")
                                                     : read_chunk(r, plain, got);
    free(plain);
    return result;
}

static int read_end(struct reader *r, const uint8_t *bytes, size_t size)
{
    Heddle__End *end = heddle__end__unpack(NULL, size, bytes);
    if (!end)
        return damaged(r, "the end cannot be decoded");
    int result = 0;
    if (end->events != r->trace->events)
        result = damaged(r, "%llu events expected, %zu found", (unsigned long long)end->events, r->trace->events);
    else if ((unsigned)end->outcome > HEDDLE__OUTCOME__KILLED)
        result = damaged(r, "unknown outcome %u", (unsigned)end->outcome);
    r->trace->complete = true;
    r->trace->truncated = end->truncated;
    r->trace->last_unknown = end->last_unknown;
    r->trace->reduced = end->reduced;
    r->trace->capped = end->capped;
    r->trace->outcome = (unsigned)end->outcome;
    r->trace->detail = end->detail;
    replace(&r->trace->outcome_text, end->text);
    heddle__end__free_unpacked(end, NULL);
    return result;
}

static int read_item(struct reader *r, const uint8_t *body, size_t body_size)
{
    const uint8_t *inner;
    size_t size;
    unsigned item = only_field(body, body_size, &inner, &size);
    if (r->trace->complete)
        return damaged(r, "something follows the end");
    switch (item) {
    case HEDDLE__TRACE_ITEM__ITEM_TABLES:
        return read_tables(r, inner, size);
    case HEDDLE__TRACE_ITEM__ITEM_CHUNK:
        return read_chunk(r, inner, size);
    case HEDDLE__TRACE_ITEM__ITEM_ZSTD_CHUNK:
        return read_zstd_chunk(r, inner, size);
    case HEDDLE__TRACE_ITEM__ITEM_END:
        return read_end(r, inner, size);
    case HEDDLE__TRACE_ITEM__ITEM_HEADER:
        return damaged(r, "a second header");
    default:
        return damaged(r, "an unknown message");
    }
}

/* Notes of events behind a cut go with them. */
static int check_notes(struct reader *r)
{
    struct hd_trace *t = r->trace;
    size_t kept = 0;
    for (size_t i = 0; i < t->notes; i++) {
        if (t->note[i].position < t->events) {
            t->note[kept++] = t->note[i];
            continue;
        }
        free(t->note[i].file);
        free(t->note[i].text);
    }
    bool lost = kept != t->notes;
    t->notes = kept;
    return lost && t->complete && !t->truncated ? damaged(r, "a note belongs to no event") : 0;
}

static int read_items(struct reader *r, const uint8_t *bytes, size_t size)
{
    size_t offset = 0, body_size, inner_size;
    const uint8_t *body, *inner;
    enum hd_frame frame = hd_frame_next(bytes, size, &offset, &body, &body_size);
    if (frame == HD_FRAME_CUT) {
        snprintf(r->error, r->error_size, "%s: not a heddle trace, or cut inside its first message; record again",
                 r->name);
        return -1;
    }
    if (frame != HD_FRAME_OK || only_field(body, body_size, &inner, &inner_size) != HEDDLE__TRACE_ITEM__ITEM_HEADER)
        return read_header(r, (const uint8_t *)"", 0);
    if (read_header(r, inner, inner_size) != 0)
        return -1;
    for (;;) {
        r->at = offset;
        frame = hd_frame_next(bytes, size, &offset, &body, &body_size);
        if (frame == HD_FRAME_BAD)
            return damaged(r, "no message begins here");
        if (frame != HD_FRAME_OK)
            break;
        if (read_item(r, body, body_size) != 0)
            return -1;
    }
    if (frame == HD_FRAME_CUT || !r->trace->complete)
        r->trace->truncated = true;
    return check_notes(r);
}

struct hd_trace *hd_trace_parse(const uint8_t *bytes, size_t size, const char *name, char *error, size_t error_size)
{
    enum hd_file_type type = hd_file_recognise(bytes, size);
    if (size == 0) {
        snprintf(error, error_size, "%s: empty, not a heddle trace; record again", name);
        return NULL;
    }
    if (type == HD_FILE_WITNESS || type == HD_FILE_VERDICT) {
        bool witness = type == HD_FILE_WITNESS;
        snprintf(error, error_size, "%s: a heddle %s, not a trace; give the .trace file%s", name,
                 witness ? "witness" : "verdict", witness ? ", or use 'heddle replay'" : "");
        return NULL;
    }
    struct reader r = {.trace = hd_trace_new(), .name = name, .error = error, .error_size = error_size,
                       .events_max = hd_memory_for_file() / sizeof(struct hd_event)};
    int result = read_items(&r, bytes, size);
    free(r.syncs);
    if (result == 0)
        return r.trace;
    hd_trace_free(r.trace);
    return NULL;
}

struct hd_trace *hd_trace_read(const char *path, char *error, size_t error_size)
{
    size_t size;
    uint8_t *bytes = hd_file_read(path, &size, error, error_size);
    if (!bytes)
        return NULL;
    struct hd_trace *trace = hd_trace_parse(bytes, size, path, error, error_size);
    free(bytes);
    return trace;
}
