// SPDX-License-Identifier: Apache-2.0
#include "analyze/sections.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

enum { GENERATIONS = 16 }; /* a thread may be this late in leaving a barrier */

struct section { uint32_t lock, take, depth; bool shared; };

struct open { struct section *section; size_t count, room; uint32_t top; };

struct pairing {
    struct hd_index *x;
    struct open *thread;
    uint32_t *exclusive; /* per lock: 1 + thread that has it alone */
    uint32_t *sharers;
    bool *bent, found;
};

static struct section *find(struct open *o, uint32_t lock)
{
    for (size_t i = o->count; i-- > 0;)
        if (o->section[i].lock == lock)
            return &o->section[i];
    return NULL;
}

static void push_node(struct hd_index *x, struct open *o, const struct section *s)
{
    HD_GROW(x->held, x->helds, x->held_room);
    x->held[x->helds] = (struct hd_held){s->lock, s->take, o->top, s->shared};
    o->top = x->helds++;
}

static void take(struct pairing *p, uint32_t i)
{
    struct hd_item *it = &p->x->item[i];
    struct open *o = &p->thread[it->thread];
    struct section *known = find(o, it->object);
    if (known) {
        known->depth++;
        it->class = HD_INERT;
        return;
    }
    if (p->exclusive[it->object] || (!it->shared && p->sharers[it->object]))
        p->found = p->bent[it->object] = true;
    if (it->shared)
        p->sharers[it->object]++;
    else
        p->exclusive[it->object] = it->thread + 1;
    HD_GROW(o->section, o->count, o->room);
    o->section[o->count] = (struct section){it->object, i, 1, it->shared};
    push_node(p->x, o, &o->section[o->count++]);
}

static void close_section(struct pairing *p, struct open *o, struct section *s)
{
    size_t at = (size_t)(s - o->section);
    if (s->shared)
        p->sharers[s->lock]--;
    else
        p->exclusive[s->lock] = 0;
    for (size_t k = o->count; k-- > at;)
        o->top = p->x->held[o->top].below;
    memmove(s, s + 1, (o->count - at - 1) * sizeof *s);
    o->count--;
    for (; at < o->count; at++)
        push_node(p->x, o, &o->section[at]);
}

/* False where the thread has no section that this ends. */
static bool leave(struct pairing *p, uint32_t i, uint32_t lock)
{
    struct hd_item *it = &p->x->item[i];
    struct open *o = &p->thread[it->thread];
    struct section *s = find(o, lock);
    if (!s) {
        if (p->exclusive[lock] || p->sharers[lock])
            p->found = p->bent[lock] = true;
        return false;
    }
    if (--s->depth)
        return false;
    it->partner = s->take;
    p->x->item[s->take].partner = i;
    close_section(p, o, s);
    return true;
}

static void pair_one(struct pairing *p, uint32_t i)
{
    struct hd_index *x = p->x;
    struct hd_item *it = &x->item[i];
    bool locks = it->class == HD_TAKE || it->class == HD_LEAVE || it->class == HD_REFUSED;
    uint32_t lock = it->class == HD_WAITS ? (uint32_t)x->trace->event[it->position].value - 1 : it->object;
    it->held = p->thread[it->thread].top;
    if (!locks && it->class != HD_WAITS)
        return;
    if (lock >= x->objects || p->bent[lock]) {
        if (locks)
            it->class = HD_INERT;
        return;
    }
    if (it->class == HD_TAKE)
        take(p, i);
    else if (it->class == HD_WAITS)
        leave(p, i, lock);
    else if ((it->class == HD_REFUSED && find(&p->thread[it->thread], lock)) ||
             (it->class == HD_LEAVE && !leave(p, i, lock)))
        it->class = HD_INERT;
}

/* A bent lock shows itself on the way; then all starts again without its sections. */
void hd_sections_pair(struct hd_index *x, bool *bent)
{
    struct pairing p = {.x = x, .bent = bent};
    uint8_t *class = hd_alloc((size_t)x->items + 1);
    for (uint32_t i = 0; i < x->items; i++)
        class[i] = x->item[i].class;
    p.exclusive = hd_alloc(((size_t)x->objects + 1) * sizeof *p.exclusive);
    p.sharers = hd_alloc(((size_t)x->objects + 1) * sizeof *p.sharers);
    do {
        p.found = false;
        p.thread = hd_alloc(((size_t)x->threads + 1) * sizeof *p.thread);
        memset(p.exclusive, 0, x->objects * sizeof *p.exclusive);
        memset(p.sharers, 0, x->objects * sizeof *p.sharers);
        x->helds = 0;
        for (uint32_t t = 0; t < x->threads; t++)
            p.thread[t].top = HD_NO_INDEX;
        for (uint32_t i = 0; i < x->items; i++) {
            x->item[i].class = class[i];
            x->item[i].partner = HD_NO_INDEX;
            pair_one(&p, i);
        }
        for (uint32_t t = 0; t < x->threads; t++) {
            x->held_at_end[t] = p.thread[t].top;
            free(p.thread[t].section);
        }
        free(p.thread);
    } while (p.found);
    free(p.exclusive);
    free(p.sharers);
    free(class);
}

struct need { uint32_t item, on; };

struct links {
    struct hd_index *x;
    struct need *need;
    size_t needs, room;
    struct hd_list *before; /* per object: barrier entries, annotations */
    uint32_t *last;         /* per object: end of once, event of a bent lock */
};

static void add_need(struct links *l, uint32_t item, uint32_t on)
{
    HD_GROW(l->need, l->needs, l->room);
    l->need[l->needs++] = (struct need){item, on};
}

static void remember(struct links *l, uint32_t i, bool by_generation)
{
    const struct hd_trace *t = l->x->trace;
    const struct hd_item *it = &l->x->item[i];
    struct hd_list *list = &l->before[it->object];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const struct hd_item *other = &l->x->item[list->item[k]];
        bool keep = by_generation ? t->event[other->position].value + GENERATIONS > t->event[it->position].value
                                  : other->thread != it->thread;
        if (keep)
            list->item[kept++] = list->item[k];
    }
    list->item = hd_realloc(list->item, kept + 1, sizeof *list->item);
    list->item[kept] = i;
    list->count = kept + 1;
}

static void need_all(struct links *l, uint32_t i, bool by_generation)
{
    const struct hd_trace *t = l->x->trace;
    const struct hd_item *it = &l->x->item[i];
    const struct hd_list *list = &l->before[it->object];
    for (uint32_t k = 0; k < list->count; k++)
        if (!by_generation ||
            t->event[l->x->item[list->item[k]].position].value == t->event[it->position].value)
            add_need(l, i, list->item[k]);
}

static void need_last(struct links *l, uint32_t i, uint32_t object)
{
    if (l->last[object] != HD_NO_INDEX)
        add_need(l, i, l->last[object]);
}

static void link_object(struct links *l, uint32_t i, const bool *bent)
{
    const struct hd_item *it = &l->x->item[i];
    const struct hd_event *e = &l->x->trace->event[it->position];
    uint32_t lock = e->kind == HD_COND_WAIT ? (uint32_t)e->value - 1 : it->object;
    if (lock < l->x->objects && bent[lock]) {
        need_last(l, i, lock);
        l->last[lock] = i;
    }
    if (it->object >= l->x->objects)
        return;
    switch (e->kind) {
    case HD_BARRIER_ENTER: remember(l, i, true); break;
    case HD_BARRIER_EXIT: need_all(l, i, true); break;
    case HD_HB_BEFORE: remember(l, i, false); break;
    case HD_HB_AFTER: need_all(l, i, false); break;
    case HD_ONCE_END: l->last[it->object] = i; break;
    case HD_ONCE_PASS: need_last(l, i, it->object); break;
    default: break;
    }
}

static void link_thread(struct links *l, uint32_t i)
{
    const struct hd_index *x = l->x;
    const struct hd_event *e = &x->trace->event[x->item[i].position];
    if (e->kind == HD_JOIN && e->value < x->threads && x->thread[e->value].count) {
        uint32_t end = x->end[e->value], last = x->thread[e->value].item[x->thread[e->value].count - 1];
        end = end == HD_NO_INDEX ? last : end;
        if (end < i)
            add_need(l, i, end);
    }
    if (e->kind == HD_CREATE && e->value < x->threads && x->thread[e->value].count &&
        x->thread[e->value].item[0] > i)
        add_need(l, x->thread[e->value].item[0], i);
}

static int compare_need(const void *a, const void *b)
{
    const struct need *p = a, *q = b;
    if (p->item != q->item)
        return p->item < q->item ? -1 : 1;
    return p->on < q->on ? -1 : p->on > q->on;
}

void hd_needs_link(struct hd_index *x, const bool *bent)
{
    struct links l = {.x = x};
    l.before = hd_alloc(((size_t)x->objects + 1) * sizeof *l.before);
    l.last = hd_alloc(((size_t)x->objects + 1) * sizeof *l.last);
    memset(l.last, 0xff, ((size_t)x->objects + 1) * sizeof *l.last);
    for (uint32_t i = 0; i < x->items; i++) {
        link_thread(&l, i);
        link_object(&l, i, bent);
    }
    if (l.needs)
        qsort(l.need, l.needs, sizeof *l.need, compare_need);
    x->need = hd_alloc((l.needs + 1) * sizeof *x->need);
    for (size_t i = 0, k = 0; i <= x->items; i++) {
        x->item[i].need = (uint32_t)k;
        for (; k < l.needs && l.need[k].item == i; k++)
            x->need[k] = l.need[k].on;
    }
    for (uint32_t o = 0; o < x->objects; o++)
        free(l.before[o].item);
    free(l.before);
    free(l.last);
    free(l.need);
}

/* The count is told at a semaphore's first use; else it is where a wait failed; else the least that fits. */
void hd_semaphores_start(struct hd_index *x)
{
    struct sem { int64_t net, low, start; bool told; } *sem = hd_alloc(((size_t)x->objects + 1) * sizeof *sem);
    for (uint32_t i = 0; i < x->items; i++) {
        const struct hd_item *it = &x->item[i];
        if (it->class != HD_POSTS && it->class != HD_PASSES && it->class != HD_EMPTY)
            continue;
        struct sem *s = &sem[it->object];
        uint64_t value = x->trace->event[it->position].value;
        if (!s->told && (value || it->class == HD_EMPTY)) {
            s->told = true;
            s->start = (value && value <= INT32_MAX ? (int64_t)value - 1 : 0) - s->net;
        }
        s->net += it->class == HD_POSTS ? 1 : it->class == HD_PASSES ? -1 : 0;
        s->low = s->net < s->low ? s->net : s->low;
    }
    for (uint32_t o = 0; o < x->objects; o++)
        x->initial[o] = (uint32_t)(sem[o].start > -sem[o].low ? sem[o].start : -sem[o].low);
    free(sem);
}
