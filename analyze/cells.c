// SPDX-License-Identifier: Apache-2.0
// From accesses to cells. Accesses of the same bytes share a range, so the work
// is by distinct range, not by event.
#include <stdlib.h>
#include <string.h>

#include "analyze/index.h"
#include "proto/memory.h"

struct region { uint64_t low, high; uint32_t space; };

struct range { uint64_t low, high; uint32_t space; }; /* high 0: the whole space */

struct raw {
    uint64_t low, size;
    uint32_t space, thread;
    bool shared, written;
};

struct builder {
    struct hd_index *x;
    struct region *region; /* sorted, disjoint; the newest wins */
    size_t regions, region_room;
    uint32_t spaces;
    struct range *range;
    uint32_t ranges;
    size_t range_room, table_size;
    uint32_t *table, *range_of;
    struct raw *raw;
    uint32_t raws;
};

static bool touches_memory(const struct hd_event *e)
{
    return e->size && (e->kind == HD_READ || e->kind == HD_WRITE || e->kind == HD_UNSEEN_WRITE ||
                       hd_kind_is_atomic(e->kind));
}

/* First region that ends beyond `address`. */
static size_t find_region(const struct builder *b, uint64_t address)
{
    size_t low = 0, high = b->regions;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (b->region[mid].high <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void insert_region(struct builder *b, size_t at, struct region r)
{
    HD_GROW(b->region, b->regions, b->region_room);
    memmove(b->region + at + 1, b->region + at, (b->regions - at) * sizeof r);
    b->region[at] = r;
    b->regions++;
}

static void add_region(struct builder *b, uint64_t low, uint64_t size)
{
    if (!size || low + size < low)
        return;
    uint64_t high = low + size;
    size_t at = find_region(b, low), end = at;
    struct region left = {0}, right = {0};
    if (at < b->regions && b->region[at].low < low)
        left = (struct region){b->region[at].low, low, b->region[at].space};
    while (end < b->regions && b->region[end].low < high)
        end++;
    if (end > at && b->region[end - 1].high > high)
        right = (struct region){high, b->region[end - 1].high, b->region[end - 1].space};
    if (end > at) {
        memmove(b->region + at, b->region + end, (b->regions - end) * sizeof *b->region);
        b->regions -= end - at;
    }
    if (right.high)
        insert_region(b, at, right);
    insert_region(b, at, (struct region){low, high, ++b->spaces});
    if (left.high)
        insert_region(b, at, left);
}

static uint32_t space_of(const struct builder *b, uint64_t address)
{
    size_t at = find_region(b, address);
    return at < b->regions && b->region[at].low <= address ? b->region[at].space : 0;
}

static size_t hash_range(const struct range *r)
{
    uint64_t h = (r->low ^ r->space * 0xc2b2ae3d27d4eb4fu) * 0x9e3779b97f4a7c15u ^ r->high;
    return (h ^ h >> 29) * 0xff51afd7ed558ccdu >> 17;
}

static void grow_table(struct builder *b)
{
    free(b->table);
    b->table_size = b->table_size ? b->table_size * 2 : 1024;
    b->table = hd_alloc(b->table_size * sizeof *b->table);
    for (uint32_t i = 0; i < b->ranges; i++) {
        size_t at = hash_range(&b->range[i]) & (b->table_size - 1);
        while (b->table[at])
            at = (at + 1) & (b->table_size - 1);
        b->table[at] = i + 1;
    }
}

static uint32_t intern_range(struct builder *b, struct range r)
{
    if (2 * (size_t)b->ranges >= b->table_size)
        grow_table(b);
    size_t at = hash_range(&r) & (b->table_size - 1);
    for (; b->table[at]; at = (at + 1) & (b->table_size - 1)) {
        const struct range *known = &b->range[b->table[at] - 1];
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what the table names is there */
        if (known->low == r.low && known->high == r.high && known->space == r.space)
            return b->table[at];
    }
    HD_GROW(b->range, b->ranges, b->range_room);
    b->range[b->ranges] = r;
    return b->table[at] = ++b->ranges;
}

static void find_ranges(struct builder *b)
{
    const struct hd_trace *t = b->x->trace;
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        if (touches_memory(e)) {
            uint64_t high = e->address + e->size < e->address ? UINT64_MAX : e->address + e->size;
            b->range_of[i] = intern_range(b, (struct range){e->address, high, space_of(b, e->address)});
        } else if (e->kind == HD_ALLOC) {
            add_region(b, e->address, e->value);
        } else if (e->kind == HD_CREATE && e->value < t->threads) {
            add_region(b, t->thread[e->value].stack_low, t->thread[e->value].stack_size);
        } else if (e->kind == HD_FREE) {
            size_t at = find_region(b, e->address);
            if (at < b->regions && b->region[at].low == e->address)
                b->range_of[i] = intern_range(b, (struct range){0, 0, b->region[at].space});
        }
    }
}

struct bound { uint64_t at; uint32_t space; };

static int compare_bound(const void *a, const void *b)
{
    const struct bound *p = a, *q = b;
    if (p->space != q->space)
        return p->space < q->space ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

static void cut_cells(struct builder *b)
{
    size_t n = 0;
    struct bound *bound = hd_alloc(((size_t)b->ranges * 2 + 1) * sizeof *bound);
    for (uint32_t i = 0; i < b->ranges; i++)
        if (b->range[i].high) {
            bound[n++] = (struct bound){b->range[i].low, b->range[i].space};
            bound[n++] = (struct bound){b->range[i].high, b->range[i].space};
        }
    qsort(bound, n, sizeof *bound, compare_bound);
    b->raw = hd_alloc((n + 1) * sizeof *b->raw);
    for (size_t i = 0; i + 1 < n; i++)
        if (bound[i].space == bound[i + 1].space && bound[i].at < bound[i + 1].at)
            b->raw[b->raws++] = (struct raw){bound[i].at, bound[i + 1].at - bound[i].at, bound[i].space,
                                             HD_NO_INDEX, false, false};
    free(bound);
}

/* First raw cell of the space at `at` or beyond. */
static uint32_t find_raw(const struct builder *b, uint32_t space, uint64_t at)
{
    uint32_t low = 0, high = b->raws;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct raw *m = &b->raw[mid];
        if (m->space < space || (m->space == space && m->low < at))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct hd_run_of_cells raw_run(const struct builder *b, const struct range *r)
{
    uint32_t from = find_raw(b, r->space, r->low);
    return (struct hd_run_of_cells){from, find_raw(b, r->space, r->high ? r->high : UINT64_MAX) - from};
}

static void mark_shared(struct builder *b, const struct hd_run_of_cells *run)
{
    const struct hd_trace *t = b->x->trace;
    for (size_t i = 0; i < t->events; i++) {
        if (!b->range_of[i])
            continue;
        const struct hd_event *e = &t->event[i];
        const struct hd_run_of_cells *r = &run[b->range_of[i] - 1];
        for (uint32_t c = r->cell; c < r->cell + r->cells; c++) {
            b->raw[c].shared |= b->raw[c].thread != HD_NO_INDEX && b->raw[c].thread != e->thread;
            b->raw[c].thread = e->thread;
            b->raw[c].written |= e->kind != HD_READ && e->kind != HD_ATOMIC_LOAD;
        }
    }
}

static void keep_shared(struct builder *b, struct hd_run_of_cells *run)
{
    struct hd_index *x = b->x;
    uint32_t *kept = hd_alloc(((size_t)b->raws + 1) * sizeof *kept);
    mark_shared(b, run);
    for (uint32_t c = 0; c < b->raws; c++)
        kept[c + 1] = kept[c] + (b->raw[c].shared && b->raw[c].written);
    x->cell = hd_alloc(((size_t)kept[b->raws] + 1) * sizeof *x->cell);
    x->cells = kept[b->raws];
    for (uint32_t c = 0; c < b->raws; c++)
        if (kept[c + 1] > kept[c])
            x->cell[kept[c]] = (struct hd_cell){.low = b->raw[c].low, .size = b->raw[c].size,
                                                .space = b->raw[c].space};
    for (uint32_t r = 0; r < b->ranges; r++)
        run[r] = (struct hd_run_of_cells){kept[run[r].cell], kept[run[r].cell + run[r].cells] - kept[run[r].cell]};
    free(kept);
}

void hd_cells_find(struct hd_index *x, struct hd_cell_map *map)
{
    struct builder b = {.x = x};
    b.range_of = map->range = hd_alloc((x->trace->events + 1) * sizeof *map->range);
    find_ranges(&b);
    free(b.table);
    free(b.region);
    cut_cells(&b);
    map->run = hd_alloc(((size_t)b.ranges + 1) * sizeof *map->run);
    for (uint32_t r = 0; r < b.ranges; r++)
        map->run[r] = raw_run(&b, &b.range[r]);
    free(b.range);
    keep_shared(&b, map->run);
    free(b.raw);
}
