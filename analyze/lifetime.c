// SPDX-License-Identifier: Apache-2.0
// Use after free: can a block be freed before an access that came before that, or
// before the use of a lock or the like that lives in it? And a block that the
// recording itself frees twice, or touches when it is gone.
#include <stdlib.h>

#include "analyze/run.h"
#include "analyze/tenants.h"
#include "proto/memory.h"

static void candidate(struct hd_worker *w, uint32_t access, uint32_t freed)
{
    struct hd_candidate q = {.column = "memory", .kind = "memory", .pattern = "use after free", .preposition = "of",
                             .r = HD_NO_INDEX, .w = HD_NO_INDEX, .c = freed, .before_w = HD_NO_INDEX,
                             .request = &access, .requests = 1};
    const struct hd_index *x = w->index;
    if (x->item[access].class == HD_FREES)
        q.pattern = "double free";
    if (access > freed) {
        q.recorded = true;
        hd_worker_accept(w, &q, "recorded");
        return;
    }
    if (hd_clock(x, hd_must(x), freed, x->item[access].thread) > x->item[access].index)
        hd_worker_reject(w, &q, "stage0");
    else
        hd_worker_ask(w, &q);
}

static size_t units(const struct hd_index *x)
{
    return x->items ? 1 : 0;
}

static int compare(const void *a, const void *b)
{
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

/* Every access to the block by another thread, and later ones by any, once each. */
static void block(struct hd_worker *w, uint32_t freed)
{
    const struct hd_index *x = w->index;
    const struct hd_item *it = &x->item[freed];
    uint32_t *list = NULL;
    size_t count = 0, room = 0;
    for (uint32_t c = it->cell; c < it->cell + it->cells; c++)
        for (uint32_t n = x->cell[c].access; n < x->cell[c].access + x->cell[c].accesses; n++) {
            uint32_t a = x->access[n];
            if (a == freed || (x->item[a].thread == it->thread && a < freed) ||
                (x->item[a].class == HD_FREES && a < freed) ||
                w->trace->event[x->item[a].position].kind == HD_UNSEEN_WRITE) /* nobody's access */
                continue;
            HD_GROW(list, count, room);
            list[count++] = a;
        }
    if (count)
        qsort(list, count, sizeof *list, compare);
    for (size_t i = 0; i < count; i++)
        if (!i || list[i] != list[i - 1])
            candidate(w, list[i], freed);
    free(list);
}

struct use { uint32_t freed, item; };

static int compare_uses(const void *a, const void *b)
{
    const struct use *p = a, *q = b;
    return p->freed != q->freed ? (p->freed < q->freed ? -1 : 1) : p->item < q->item ? -1 : p->item > q->item;
}

/* Of objects in blocks, by other threads than the one that frees the block, and later ones by any. */
static struct use *list_uses(const struct hd_worker *w, size_t *count)
{
    const struct hd_index *x = w->index;
    struct use *use = NULL;
    size_t room = 0;
    *count = 0;
    for (uint32_t i = 0; x->freed && i < x->items; i++) {
        const struct hd_event *e = &w->trace->event[x->item[i].position];
        uint32_t freed = e->object < x->objects && hd_kind_uses_object(e->kind) ? x->freed[e->object] : HD_NO_INDEX;
        if (freed == HD_NO_INDEX || (x->item[i].thread == x->item[freed].thread && i < freed))
            continue;
        HD_GROW(use, *count, room);
        use[(*count)++] = (struct use){freed, i};
    }
    if (*count)
        qsort(use, *count, sizeof *use, compare_uses);
    return use;
}

static void unit(struct hd_worker *w, size_t n)
{
    size_t uses, at = 0;
    struct use *use = list_uses(w, &uses);
    (void)n;
    for (uint32_t i = 0; i < w->index->items; i++) {
        if (w->index->item[i].class != HD_FREES)
            continue;
        block(w, i);
        for (; at < uses && use[at].freed == i; at++)
            candidate(w, use[at].item, i);
    }
    free(use);
}

const struct hd_kind_of_finding hd_memory = {HD_KINDS_MEMORY, "memory", units, unit};
