// SPDX-License-Identifier: Apache-2.0
#include "analyze/index.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/sections.h"
#include "analyze/tenants.h"
#include "proto/memory.h"

struct known { uint64_t value; uint32_t cell, token; };

struct builder {
    struct hd_index *x;
    struct hd_cell_map map;
    uint32_t *last; /* last writer of a cell so far */
    uint32_t slot_room;
    size_t *final;  /* the last event of a thread that is joined and has no END: an item, for the join waits for it */
    struct hd_tenants tenants;
    struct known *known; /* tokens by (cell, value) */
    size_t knowns, known_size;
};

static const uint8_t classes[HD_KIND_COUNT] = {
    [HD_READ] = HD_ACCESS,          [HD_WRITE] = HD_ACCESS,       [HD_UNSEEN_WRITE] = HD_ACCESS,
    [HD_ATOMIC_LOAD] = HD_ACCESS,   [HD_ATOMIC_STORE] = HD_ACCESS, [HD_ATOMIC_RMW] = HD_ACCESS,
    [HD_FREE] = HD_FREES,           [HD_LOCK] = HD_TAKE,          [HD_RDLOCK] = HD_TAKE,
    [HD_WRLOCK] = HD_TAKE,          [HD_UNLOCK] = HD_LEAVE,       [HD_RWUNLOCK] = HD_LEAVE,
    [HD_TRYLOCK_FAIL] = HD_REFUSED, [HD_TRYRDLOCK_FAIL] = HD_REFUSED, [HD_TRYWRLOCK_FAIL] = HD_REFUSED,
    [HD_LOCK_TIMEOUT] = HD_REFUSED, [HD_COND_WAIT] = HD_WAITS,    [HD_COND_WAKE] = HD_WOKEN,
    [HD_SIGNAL] = HD_SIGNALS,       [HD_BROADCAST] = HD_SIGNALS,  [HD_SEM_POST] = HD_POSTS,
    [HD_SEM_WAIT] = HD_PASSES,      [HD_SEM_FAIL] = HD_EMPTY,     [HD_JOIN_FAIL] = HD_STILL,
    [HD_END] = HD_ENDS};

static struct known *find_known(struct builder *b, uint32_t cell, uint64_t value)
{
    uint64_t h = (value ^ cell * 0xc2b2ae3d27d4eb4fu) * 0x9e3779b97f4a7c15u;
    size_t at = (h ^ h >> 31) & (b->known_size - 1);
    while (b->known[at].token && (b->known[at].cell != cell || b->known[at].value != value))
        at = (at + 1) & (b->known_size - 1);
    return &b->known[at];
}

static void grow_known(struct builder *b)
{
    struct known *old = b->known;
    size_t size = b->known_size;
    b->known_size = size ? size * 2 : 1024;
    b->known = hd_alloc(b->known_size * sizeof *b->known);
    for (size_t i = 0; i < size; i++)
        if (old[i].token)
            *find_known(b, old[i].cell, old[i].value) = old[i];
    free(old);
}

static uint32_t value_token(struct builder *b, uint32_t cell, const struct hd_event *e, uint64_t value)
{
    const struct hd_cell *c = &b->x->cell[cell];
    uint64_t shift = (c->low - e->address) * 8, v = shift < 64 ? value >> shift : 0;
    if (c->size < 8)
        v &= ((uint64_t)1 << (c->size * 8)) - 1;
    if (2 * b->knowns >= b->known_size)
        grow_known(b);
    struct known *k = find_known(b, cell, v);
    if (!k->token)
        *k = (struct known){v, cell, (uint32_t)++b->knowns};
    return k->token;
}

static void add_slot(struct builder *b, uint32_t token, uint32_t writer)
{
    struct hd_index *x = b->x;
    if (x->slots >= b->slot_room) {
        b->slot_room = b->slot_room ? b->slot_room + b->slot_room / 2 : 64;
        x->token = hd_realloc(x->token, b->slot_room, sizeof *x->token);
        x->writer = hd_realloc(x->writer, b->slot_room, sizeof *x->writer);
    }
    x->token[x->slots] = token;
    x->writer[x->slots++] = writer;
}

/* A read that saw what nobody wrote: writers do not tell what it needs. */
static bool agrees(const struct builder *b, uint32_t cell, uint32_t last, uint32_t token)
{
    const struct hd_index *x = b->x;
    if (last == HD_NO_INDEX)
        return !x->cell[cell].initial || x->cell[cell].initial == token;
    return x->token[hd_write_slot(x, last, cell)] == token;
}

static void add_reads(struct builder *b, const struct hd_item *it, const struct hd_event *e)
{
    for (uint32_t c = it->cell; c < it->cell + it->cells; c++) {
        uint32_t last = b->last[c];
        uint32_t token = b->x->by_value ? value_token(b, c, e, e->value) : last == HD_NO_INDEX ? 0 : last + 1;
        if (b->x->by_value && !agrees(b, c, last, token))
            b->x->intricate = true;
        if (last == HD_NO_INDEX)
            b->x->cell[c].initial = token;
        add_slot(b, token, last);
    }
}

static void add_writes(struct builder *b, const struct hd_item *it, const struct hd_event *e)
{
    uint64_t value = e->kind == HD_ATOMIC_RMW ? e->second : e->value;
    for (uint32_t c = it->cell; c < it->cell + it->cells; c++) {
        add_slot(b, b->x->by_value ? value_token(b, c, e, value) : b->x->items + 1, b->last[c]);
        b->last[c] = b->x->items;
    }
}

/* False: no item. */
static bool classify(struct builder *b, size_t position, struct hd_item *it)
{
    struct hd_index *x = b->x;
    const struct hd_event *e = &x->trace->event[position];
    it->class = e->kind < HD_KIND_COUNT ? classes[e->kind] : HD_INERT;
    if (it->class == HD_ACCESS || it->class == HD_FREES) {
        if (b->map.range[position]) {
            const struct hd_run_of_cells *run = &b->map.run[b->map.range[position] - 1];
            it->cell = run->cell;
            it->cells = run->cells;
        }
        if (!it->cells && e->kind == HD_FREE && hd_tenants_free_at(&b->tenants, position))
            return true;
        if (!it->cells) {
            it->class = HD_INERT;
            return hd_kind_is_sync(e->kind);
        }
        it->slot = x->slots;
        it->reads = e->kind == HD_READ || e->kind == HD_ATOMIC_LOAD || e->kind == HD_ATOMIC_RMW;
        it->writes = it->class == HD_ACCESS && e->kind != HD_READ && e->kind != HD_ATOMIC_LOAD;
        if (it->reads)
            add_reads(b, it, e);
        if (it->writes)
            add_writes(b, it, e);
        return true;
    }
    if (!hd_kind_is_sync(e->kind))
        return false;
    if (it->class != HD_INERT && it->class != HD_STILL && it->class != HD_ENDS && e->object >= x->objects)
        it->class = HD_INERT;
    it->shared = e->kind == HD_RDLOCK || e->kind == HD_TRYRDLOCK_FAIL ||
                 (e->kind == HD_LOCK_TIMEOUT && e->value == HD_RDLOCK);
    it->all = e->kind == HD_BROADCAST || (e->kind == HD_COND_WAKE && !e->value);
    return true;
}

static size_t count_items(struct builder *b, uint32_t *per_thread)
{
    const struct hd_trace *t = b->x->trace;
    size_t total = 0;
    for (size_t i = 0; i < t->events; i++) {
        uint32_t range = b->map.range[i];
        if (!hd_kind_is_sync(t->event[i].kind) && (!range || !b->map.run[range - 1].cells) &&
            b->final[t->event[i].thread] != i && (t->event[i].kind != HD_FREE || !hd_tenants_free_at(&b->tenants, i)))
            continue;
        per_thread[t->event[i].thread]++;
        total++;
    }
    return total;
}

static void find_finals(struct builder *b)
{
    const struct hd_trace *t = b->x->trace;
    bool *joined = hd_alloc((size_t)b->x->threads + 1), *ended = hd_alloc((size_t)b->x->threads + 1);
    for (size_t i = 0; i < t->events; i++) {
        if (t->event[i].kind == HD_JOIN)
            joined[t->event[i].value] = true;
        ended[t->event[i].thread] |= t->event[i].kind == HD_END;
    }
    for (uint32_t u = 0; u < b->x->threads; u++)
        b->final[u] = SIZE_MAX;
    for (size_t i = 0; i < t->events; i++)
        if (joined[t->event[i].thread] && !ended[t->event[i].thread])
            b->final[t->event[i].thread] = i;
    free(joined);
    free(ended);
}

static void add_items(struct builder *b)
{
    struct hd_index *x = b->x;
    const struct hd_trace *t = x->trace;
    uint32_t *count = hd_alloc(((size_t)x->threads + 1) * sizeof *count);
    b->final = hd_alloc(((size_t)x->threads + 1) * sizeof *b->final);
    find_finals(b);
    size_t total = count_items(b, count), from = 0;
    x->item = hd_alloc((total + 1) * sizeof *x->item);
    x->thread_items = hd_alloc((total + 1) * sizeof *x->thread_items);
    for (uint32_t u = 0; u < x->threads; from += count[u++])
        x->thread[u].item = x->thread_items + from;
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        struct hd_item it = {.position = (uint32_t)i, .thread = e->thread, .object = e->object,
                             .partner = HD_NO_INDEX, .held = HD_NO_INDEX};
        if (!classify(b, i, &it) && b->final[e->thread] != i)
            continue;
        it.index = x->thread[e->thread].count++;
        x->thread[e->thread].item[it.index] = x->items;
        x->item[x->items++] = it;
    }
    free(b->final);
    free(count);
}

static void list_accesses(struct hd_index *x)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < x->items; i++)
        for (uint32_t k = 0; k < x->item[i].cells; k++)
            x->cell[x->item[i].cell + k].accesses++;
    for (uint32_t c = 0; c < x->cells; c++) {
        x->cell[c].access = total;
        total += x->cell[c].accesses;
        x->cell[c].accesses = 0;
    }
    x->access = hd_alloc(((size_t)total + 1) * sizeof *x->access);
    for (uint32_t i = 0; i < x->items; i++)
        for (uint32_t k = 0; k < x->item[i].cells; k++) {
            struct hd_cell *c = &x->cell[x->item[i].cell + k];
            x->access[c->access + c->accesses++] = i;
        }
}

/* Ends of threads, whom a failed join waited for, and which wait a wake-up ended. */
static void link_waits(struct hd_index *x)
{
    uint32_t *waits = hd_alloc(((size_t)x->threads + 1) * sizeof *waits);
    memset(waits, 0xff, ((size_t)x->threads + 1) * sizeof *waits);
    memset(x->end, 0xff, ((size_t)x->threads + 1) * sizeof *x->end);
    for (uint32_t i = 0; i < x->items; i++)
        if (x->item[i].class == HD_ENDS)
            x->end[x->item[i].thread] = i;
    for (uint32_t i = 0; i < x->items; i++) {
        struct hd_item *it = &x->item[i];
        uint64_t other = x->trace->event[it->position].value;
        if (it->class == HD_STILL) {
            it->object = other < x->threads ? x->end[other] : HD_NO_INDEX;
            if (it->object == HD_NO_INDEX || it->object < i)
                it->class = HD_INERT;
        } else if (it->class == HD_WAITS) {
            waits[it->thread] = i;
        } else if (it->class == HD_WOKEN) {
            uint32_t w = waits[it->thread];
            if (w == HD_NO_INDEX || x->item[w].object != it->object)
                it->class = HD_INERT;
            it->partner = w;
            waits[it->thread] = HD_NO_INDEX;
        }
    }
    free(waits);
}

/* From positions to items. */
static void link_tenants(struct hd_index *x, struct hd_tenants *tenants)
{
    for (uint32_t o = 0; tenants->freed && o < x->objects; o++)
        if (tenants->freed[o] != HD_NO_INDEX) {
            uint32_t item = hd_index_from(x, tenants->freed[o]);
            bool is_there = item < x->items && x->item[item].position == tenants->freed[o];
            tenants->freed[o] = is_there ? item : HD_NO_INDEX;
        }
    x->freed = tenants->freed;
    tenants->freed = NULL;
}

static bool is_write(const struct hd_item *it) { return it->writes; }
static bool is_read(const struct hd_item *it) { return it->reads; }
static bool is_take(const struct hd_item *it) { return it->class == HD_TAKE; }
static bool is_post(const struct hd_item *it) { return it->class == HD_POSTS; }
static bool is_pass(const struct hd_item *it) { return it->class == HD_PASSES; }
static bool is_empty(const struct hd_item *it) { return it->class == HD_EMPTY; }
static bool is_signal(const struct hd_item *it) { return it->class == HD_SIGNALS; }
static bool is_wait(const struct hd_item *it) { return it->class == HD_WAITS; }
static bool is_wake(const struct hd_item *it) { return it->class == HD_WOKEN && !it->all; }
static bool is_refused(const struct hd_item *it) { return it->class == HD_REFUSED; }

static void build_tracks(struct hd_index *x)
{
    hd_tracks_build(x, &x->writes, x->cells, is_write);
    hd_tracks_build(x, &x->reads, x->cells, is_read);
    hd_tracks_readers(x, &x->readers, false);
    hd_tracks_build(x, &x->takes, x->objects, is_take);
    hd_tracks_build(x, &x->posts, x->objects, is_post);
    hd_tracks_build(x, &x->passes, x->objects, is_pass);
    hd_tracks_build(x, &x->empties, x->objects, is_empty);
    hd_tracks_build(x, &x->signals, x->objects, is_signal);
    hd_tracks_build(x, &x->waits, x->objects, is_wait);
    hd_tracks_build(x, &x->wakes, x->objects, is_wake);
    hd_tracks_build(x, &x->refused, x->objects, is_refused);
}

static void list_writes(struct hd_index *x)
{
    uint32_t tokens = 0;
    for (uint32_t s = 0; s < x->slots; s++)
        tokens = x->token[s] > tokens ? x->token[s] : tokens;
    x->token_first = hd_alloc(((size_t)tokens + 3) * sizeof *x->token_first);
    x->token_write = hd_alloc(((size_t)x->slots + 1) * sizeof *x->token_write);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < x->items; i++)
            for (uint32_t c = x->item[i].cell; x->item[i].writes && c < x->item[i].cell + x->item[i].cells; c++) {
                uint32_t token = x->token[hd_write_slot(x, i, c)];
                if (fill)
                    x->token_write[x->token_first[token + 1]++] = i;
                else
                    x->token_first[token + 2]++;
            }
        for (uint32_t n = 0; !fill && n <= tokens + 1; n++)
            x->token_first[n + 1] += x->token_first[n];
    }
}

static uint32_t only_one(const struct hd_index *x, const struct hd_tracks *s, uint32_t object)
{
    uint32_t first = s->first[object];
    if (s->first[object + 1] != first + 1 || s->track[first].to != s->track[first].from + 1)
        return HD_NO_INDEX;
    return hd_item_at(x, s->track[first].thread, s->at[s->track[first].from]);
}

/* One wait and one signal are an order like any other; more are a choice. */
static void match_signals(struct hd_index *x)
{
    x->wake = hd_alloc(((size_t)x->objects + 1) * sizeof *x->wake);
    x->signal = hd_alloc(((size_t)x->objects + 1) * sizeof *x->signal);
    for (uint32_t o = 0; o < x->objects; o++) {
        x->wake[o] = only_one(x, &x->wakes, o);
        x->signal[o] = only_one(x, &x->signals, o);
        if (x->wake[o] == HD_NO_INDEX || x->signal[o] == HD_NO_INDEX || only_one(x, &x->waits, o) == HD_NO_INDEX)
            x->wake[o] = x->signal[o] = HD_NO_INDEX;
    }
}

static bool is_intricate(const struct hd_index *x, const struct hd_item *it)
{
    if (it->class == HD_WOKEN && !it->all)
        return x->wake[it->object] == HD_NO_INDEX;
    return it->class == HD_POSTS || it->class == HD_PASSES || it->class == HD_EMPTY || it->class == HD_REFUSED ||
           it->class == HD_STILL;
}

struct hd_index *hd_index_new(const struct hd_trace *trace, bool strict_writers, bool same_value)
{
    struct hd_index *x = hd_alloc(sizeof *x);
    struct builder b = {.x = x};
    x->trace = trace;
    x->by_value = trace->has_values && !strict_writers;
    x->same_value = same_value;
    x->threads = (uint32_t)trace->threads;
    x->objects = (uint32_t)trace->objects;
    x->thread = hd_alloc(((size_t)x->threads + 1) * sizeof *x->thread);
    x->held_at_end = hd_alloc(((size_t)x->threads + 1) * sizeof *x->held_at_end);
    x->end = hd_alloc(((size_t)x->threads + 1) * sizeof *x->end);
    x->initial = hd_alloc(((size_t)x->objects + 1) * sizeof *x->initial);
    bool *bent = hd_alloc((size_t)x->objects + 1);
    hd_cells_find(x, &b.map);
    b.last = hd_alloc(((size_t)x->cells + 1) * sizeof *b.last);
    memset(b.last, 0xff, ((size_t)x->cells + 1) * sizeof *b.last);
    hd_tenants_find(trace, &b.tenants);
    add_items(&b);
    link_tenants(x, &b.tenants);
    hd_tenants_forget(&b.tenants);
    free(b.map.range);
    free(b.map.run);
    free(b.last);
    free(b.known);
    list_accesses(x);
    hd_sections_pair(x, bent);
    link_waits(x);
    hd_needs_link(x, bent);
    hd_semaphores_start(x);
    build_tracks(x);
    if (x->by_value)
        list_writes(x);
    free(bent);
    match_signals(x);
    for (uint32_t i = 0; i < x->items; i++) {
        x->intricate |= is_intricate(x, &x->item[i]);
        x->has_still |= x->item[i].class == HD_STILL;
    }
    hd_clock_compute(x);
    if (x->by_value)
        hd_sources_find(x);
    return x;
}

void hd_index_free(struct hd_index *x)
{
    if (!x)
        return;
    struct hd_tracks *tracks[] = {&x->writes, &x->reads, &x->readers, &x->takes, &x->posts, &x->passes, &x->empties,
                                  &x->signals, &x->waits, &x->wakes, &x->refused, &x->sure_readers};
    for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++)
        hd_tracks_free(tracks[i]);
    hd_clocks_free(&x->must, x->threads);
    hd_clocks_free(&x->must_value, x->threads);
    free(x->item);
    free(x->thread);
    free(x->thread_items);
    free(x->need);
    free(x->held);
    free(x->held_at_end);
    free(x->cell);
    free(x->access);
    free(x->token);
    free(x->writer);
    free(x->token_first);
    free(x->token_write);
    free(x->initial);
    free(x->end);
    free(x->freed);
    free(x->wake);
    free(x->signal);
    free(x->nth);
    free(x->loose);
    free(x->loose_read);
    free(x);
}

uint32_t hd_index_held(const struct hd_index *x, uint32_t thread, uint32_t done)
{
    const struct hd_list *list = &x->thread[thread];
    return done < list->count ? x->item[list->item[done]].held : x->held_at_end[thread];
}

uint32_t hd_index_find_held(const struct hd_index *x, uint32_t node, uint32_t lock)
{
    while (node != HD_NO_INDEX && x->held[node].lock != lock)
        node = x->held[node].below;
    return node;
}

uint32_t hd_index_from(const struct hd_index *x, uint64_t position)
{
    uint32_t low = 0, high = x->items;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (x->item[mid].position < position)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t hd_index_nth(struct hd_index *x, uint64_t position)
{
    const struct hd_trace *t = x->trace;
    if (!x->nth) {
        uint32_t(*count)[HD_KIND_COUNT] = hd_alloc((t->threads + 1) * sizeof *count);
        x->nth = hd_alloc((t->events + 1) * sizeof *x->nth);
        for (size_t i = 0; i < t->events; i++)
            x->nth[i] = ++count[t->event[i].thread][t->event[i].kind];
        free(count);
    }
    return x->nth[position];
}
