/* SPDX-License-Identifier: Apache-2.0
 * The columns are as in trace_file.c. */
#include "proto/trace_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "proto/frame.h"
#include "proto/heddle.pb-c.h"
#include "proto/memory.h"
#include "proto/temp_file.h"

#define CHUNK_EVENTS HD_CHUNK_EVENTS

/* zstd's level: in a long trace the recorder's time counts more than bytes. */
#define LEVEL(events) ((events) < 300000 ? 1 : -5)

/* The columns of a chunk, packed as they will be in the message. */
enum column { KIND, SIZE, RUN_THREAD, RUN_LENGTH, K, STACK, SITE, ADDRESS, OBJECT, SECOND, CHANGE, COLUMNS };
static const unsigned field[COLUMNS] = { 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13 };
static const unsigned most[COLUMNS] = { 1, 1, 5, 5, 5, 5, 5, 10, 5, 10, 10 }; /* bytes an entry */

struct hd_trace_writer {
    struct hd_temp_file temp;
    char *path;
    long whole; /* bytes of whole messages */
    int error;  /* errno of the first write that failed; nothing is written after it */
    uint64_t events;
    size_t modules, sites, stacks, threads, objects, notes, data; /* written so far */
    bool *placed; /* threads whose stack is known in the file */
    uint8_t *column[COLUMNS];
    ZSTD_CCtx *zstd;
    uint8_t *plain, *packed, *bytes;
    size_t plain_room, packed_room, bytes_room;
};

static uint8_t *room_for(uint8_t **buffer, size_t *room, size_t size)
{
    if (size > *room) {
        *room = size + size / 2;
        *buffer = hd_realloc(*buffer, *room, 1);
    }
    return *buffer;
}

/* A message is in the file as a whole, or not at all. Its body comes in two pieces. */
static void put_frame(struct hd_trace_writer *w, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    uint8_t head[10];
    size_t head_size = hd_frame_header(head, a_size + b_size);
    FILE *out = w->temp.stream;
    if (w->error)
        return;
    if (fwrite(head, 1, head_size, out) == head_size && fwrite(a, 1, a_size, out) == a_size &&
        fwrite(b, 1, b_size, out) == b_size && fflush(out) == 0) {
        w->whole += (long)(head_size + a_size + b_size);
        return;
    }
    w->error = errno ? errno : EIO;
    if (w->temp.name && ftruncate(fileno(out), w->whole) != 0)
        w->whole = 0; /* the reader skips the cut message */
}

static void put_item(struct hd_trace_writer *w, const Heddle__TraceItem *item)
{
    size_t size = heddle__trace_item__get_packed_size(item);
    uint8_t *bytes = room_for(&w->bytes, &w->bytes_room, size);
    heddle__trace_item__pack(item, bytes);
    put_frame(w, bytes, size, bytes, 0);
}

static void put_header(struct hd_trace_writer *w, const struct hd_trace *t)
{
    Heddle__Header header = HEDDLE__HEADER__INIT;
    header.version = HD_FORMAT_VERSION;
    header.program = t->program;
    header.build_id = t->build_id;
    header.n_argv = t->argc;
    header.argv = t->argv;
    header.suite = t->suite;
    header.test = t->test;
    header.seed = t->seed;
    header.has_values = t->has_values;
    header.aslr_off = t->aslr_off;
    header.cwd = t->cwd;
    header.declare = t->declare;
    Heddle__TraceItem item = HEDDLE__TRACE_ITEM__INIT;
    item.item_case = HEDDLE__TRACE_ITEM__ITEM_HEADER;
    item.header = &header;
    put_item(w, &item);
}

/* Fills tables.<field> with messages made from the trace's entries from `first` on. */
#define FILL(field, first, count, Type, INIT, ...)                                                   \
    do {                                                                                             \
        size_t new_ = (count) - (first);                                                             \
        Type *all_ = hd_realloc(NULL, new_, sizeof *all_);                                           \
        tables.field = hd_realloc(NULL, new_, sizeof *tables.field);                                 \
        for (size_t i = (first); i < (count); i++) {                                                 \
            Type one = INIT;                                                                         \
            __VA_ARGS__                                                                              \
            all_[tables.n_##field] = one;                                                            \
            tables.field[tables.n_##field] = &all_[tables.n_##field];                                \
            tables.n_##field++;                                                                      \
        }                                                                                            \
        tables_memory[memories++] = all_;                                                            \
        tables_memory[memories++] = tables.field;                                                    \
        (first) = (count);                                                                           \
    } while (0)

/* Threads that are new, and those whose stack became known since they were. */
static void *fill_threads(struct hd_trace_writer *w, Heddle__Tables *tables, const struct hd_trace *t)
{
    Heddle__Thread *all = hd_realloc(NULL, t->threads, sizeof *all);
    tables->thread = hd_realloc(NULL, t->threads, sizeof *tables->thread);
    w->placed = hd_realloc(w->placed, t->threads, sizeof *w->placed);
    for (size_t i = 0; i < t->threads; i++) {
        bool placed = t->thread[i].stack_size != 0, old = i < w->threads;
        if (old && (w->placed[i] || !placed))
            continue;
        w->placed[i] = placed;
        Heddle__Thread *one = &all[tables->n_thread];
        heddle__thread__init(one);
        one->path = t->thread[i].path;
        if (t->thread[i].name)
            one->name = t->thread[i].name;
        one->stack_low = t->thread[i].stack_low;
        one->stack_size = t->thread[i].stack_size;
        one->again = old ? (uint32_t)i + 1 : 0;
        tables->thread[tables->n_thread++] = one;
    }
    w->threads = t->threads;
    return all;
}

static void put_tables(struct hd_trace_writer *w, const struct hd_trace *t)
{
    Heddle__Tables tables = HEDDLE__TABLES__INIT;
    void *tables_memory[14];
    size_t memories = 0;
    FILL(module, w->modules, t->modules, Heddle__Module, HEDDLE__MODULE__INIT, one.path = t->module[i].path;
         one.build_id = t->module[i].build_id; one.load_base = t->module[i].base; one.size = t->module[i].size;);
    FILL(site, w->sites, t->sites, Heddle__Site, HEDDLE__SITE__INIT, one.module = t->site[i].module + 1;
         one.offset = t->site[i].offset;);
    FILL(stack, w->stacks, t->stacks, Heddle__Stack, HEDDLE__STACK__INIT, one.parent = t->stack[i].parent + 1;
         one.site = t->stack[i].site;);
    FILL(object, w->objects, t->objects, Heddle__Object, HEDDLE__OBJECT__INIT, one.kind = t->object[i].kind;
         one.address = t->object[i].address;);
    FILL(note, w->notes, t->notes, Heddle__Note, HEDDLE__NOTE__INIT, one.position = t->note[i].position;
         one.file = t->note[i].file; one.line = t->note[i].line; one.text = t->note[i].text;
         one.failed = t->note[i].failed;);
    FILL(datum, w->data, t->data, Heddle__Datum, HEDDLE__DATUM__INIT, one.address = t->datum[i].address;
         one.size = t->datum[i].size; one.name = t->datum[i].name;);
    tables_memory[memories++] = fill_threads(w, &tables, t);
    tables_memory[memories++] = tables.thread;
    Heddle__TraceItem item = HEDDLE__TRACE_ITEM__INIT;
    item.item_case = HEDDLE__TRACE_ITEM__ITEM_TABLES;
    item.tables = &tables;
    if (tables.n_module + tables.n_site + tables.n_stack + tables.n_object + tables.n_note + tables.n_thread +
        tables.n_datum)
        put_item(w, &item);
    while (memories > 0)
        free(tables_memory[--memories]);
}

static inline uint8_t *put_varint(uint8_t *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

static inline uint64_t zigzag32(uint32_t v) { return v << 1 ^ (0 - (v >> 31)); }
static inline uint64_t zigzag64(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }

static void fill_columns(struct hd_trace_writer *w, uint8_t *end[COLUMNS], const struct hd_event *event, size_t count)
{
    uint8_t *k = w->column[K], *stack = w->column[STACK], *site = w->column[SITE], *address = w->column[ADDRESS];
    uint8_t *change = w->column[CHANGE], *object = w->column[OBJECT], *second = w->column[SECOND];
    uint8_t *thread = w->column[RUN_THREAD], *length = w->column[RUN_LENGTH];
    struct hd_event before = {.stack = HD_NO_INDEX, .site = HD_NO_INDEX};
    struct { uint64_t address, value; } place[2] = {0};
    size_t run = 0;
    for (size_t i = 0; i < count; i++) {
        const struct hd_event *e = &event[i];
        if (i && event[i - 1].thread != e->thread) {
            thread = put_varint(thread, event[i - 1].thread);
            length = put_varint(length, i - run);
            run = i;
        }
        w->column[KIND][i] = e->kind;
        w->column[SIZE][i] = e->size;
        k = put_varint(k, zigzag32(e->k - before.k));
        stack = put_varint(stack, zigzag32(e->stack - before.stack));
        site = put_varint(site, zigzag32(e->site - before.site));
        unsigned sort = hd_kind_has_object(e->kind);
        uint64_t moved = e->address - place[sort].address;
        address = put_varint(address, zigzag64(moved));
        change = put_varint(change, zigzag64(e->value - (moved ? 0 : place[sort].value)));
        object = put_varint(object, (uint32_t)(e->object + 1));
        if (e->kind == HD_ATOMIC_RMW)
            second = put_varint(second, e->second);
        before.k = e->k;
        before.stack = e->stack;
        before.site = e->site;
        place[sort].address = e->address;
        place[sort].value = e->value;
    }
    thread = put_varint(thread, event[count - 1].thread);
    length = put_varint(length, count - run);
    uint8_t *const ends[COLUMNS] = { w->column[KIND] + count, w->column[SIZE] + count, thread, length, k, stack, site,
                                     address, object, second, change };
    memcpy(end, ends, sizeof ends);
}

/* The message Chunk, as protobuf packs it: every field but `count` is a run of bytes. */
static size_t pack_chunk(struct hd_trace_writer *w, const struct hd_event *event, size_t count)
{
    uint8_t *end[COLUMNS];
    fill_columns(w, end, event, count);
    size_t size = 16;
    for (int c = 0; c < COLUMNS; c++)
        size += 16 + (size_t)(end[c] - w->column[c]);
    uint8_t *at = room_for(&w->plain, &w->plain_room, size);
    *at++ = 1 << 3;
    at = put_varint(at, count);
    for (int c = 0; c < COLUMNS; c++) {
        size_t bytes = (size_t)(end[c] - w->column[c]);
        if (!bytes)
            continue;
        *at++ = (uint8_t)(field[c] << 3 | 2);
        at = put_varint(at, bytes);
        memcpy(at, w->column[c], bytes);
        at += bytes;
    }
    return (size_t)(at - w->plain);
}

/* A TraceItem of one length-delimited field is a frame within a frame. */
static void put_bytes(struct hd_trace_writer *w, unsigned item, const uint8_t *bytes, size_t size)
{
    uint8_t inner[12], *at = inner;
    *at++ = (uint8_t)(item << 3 | 2);
    at = put_varint(at, size);
    put_frame(w, inner, (size_t)(at - inner), bytes, size);
}

static void put_chunk(struct hd_trace_writer *w, const struct hd_event *event, size_t count)
{
    size_t size = pack_chunk(w, event, count), bound = ZSTD_compressBound(size);
    uint8_t *packed = room_for(&w->packed, &w->packed_room, bound);
    size_t got = ZSTD_compressCCtx(w->zstd, packed, bound, w->plain, size, LEVEL(w->events));
    if (!ZSTD_isError(got) && got < size)
        put_bytes(w, HEDDLE__TRACE_ITEM__ITEM_ZSTD_CHUNK, packed, got);
    else
        put_bytes(w, HEDDLE__TRACE_ITEM__ITEM_CHUNK, w->plain, size);
    w->events += count;
}

static void put_end(struct hd_trace_writer *w, const struct hd_trace *t)
{
    Heddle__End end = HEDDLE__END__INIT;
    end.outcome = (Heddle__Outcome)t->outcome;
    end.detail = t->detail;
    end.events = w->events;
    end.text = t->outcome_text;
    end.truncated = t->truncated;
    end.last_unknown = t->last_unknown;
    end.reduced = t->reduced;
    end.capped = t->capped;
    Heddle__TraceItem item = HEDDLE__TRACE_ITEM__INIT;
    item.item_case = HEDDLE__TRACE_ITEM__ITEM_END;
    item.end = &end;
    put_item(w, &item);
}

struct hd_trace_writer *hd_trace_writer_open(const struct hd_trace *t, const char *path, char *error, size_t error_size)
{
    struct hd_trace_writer *w = hd_alloc(sizeof *w);
    if (hd_temp_open(&w->temp, path, error, error_size) != 0) {
        free(w);
        return NULL;
    }
    w->path = hd_strdup(path);
    w->zstd = ZSTD_createCCtx();
    for (int c = 0; c < COLUMNS; c++)
        w->column[c] = hd_realloc(NULL, CHUNK_EVENTS, most[c]);
    put_header(w, t);
    return w;
}

void hd_trace_writer_put(struct hd_trace_writer *w, const struct hd_trace *t, const struct hd_event *event, size_t count)
{
    put_tables(w, t);
    for (size_t at = 0; at < count; at += CHUNK_EVENTS)
        put_chunk(w, event + at, count - at < CHUNK_EVENTS ? count - at : CHUNK_EVENTS);
}

uint64_t hd_trace_writer_events(const struct hd_trace_writer *w) { return w->events; }

uint64_t hd_trace_writer_bytes(const struct hd_trace_writer *w) { return (uint64_t)w->whole; }

int hd_trace_writer_close(struct hd_trace_writer *w, const struct hd_trace *t, char *error, size_t error_size)
{
    put_tables(w, t);
    if (t->complete || t->outcome != HEDDLE__OUTCOME__OUTCOME_UNKNOWN)
        put_end(w, t);
    int failed = w->error;
    clearerr(w->temp.stream);
    if (failed && !w->whole) /* not even what it is a trace of */
        hd_temp_discard(&w->temp);
    int result = w->temp.stream ? hd_temp_commit(&w->temp, w->path, error, error_size) : -1;
    if (failed && !w->whole)
        snprintf(error, error_size, "%s: %s; make room, nothing of the trace is there", w->path, strerror(failed));
    else if (result == 0 && failed) {
        snprintf(error, error_size, "%s: %s; the trace ends there, make room and record again", w->path,
                 strerror(failed));
        result = -1;
    }
    ZSTD_freeCCtx(w->zstd);
    for (int c = 0; c < COLUMNS; c++)
        free(w->column[c]);
    free(w->placed);
    free(w->plain);
    free(w->packed);
    free(w->bytes);
    free(w->path);
    free(w);
    return result;
}

int hd_trace_write(const struct hd_trace *trace, const char *path, char *error, size_t error_size)
{
    struct hd_trace_writer *w = hd_trace_writer_open(trace, path, error, error_size);
    if (!w)
        return -1;
    hd_trace_writer_put(w, trace, trace->event, trace->events);
    return hd_trace_writer_close(w, trace, error, error_size);
}
