// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "analyze/check.h"
#include "proto/memory.h"

enum { PAGE_BITS = 12, BIG_PAGES = 64, LATE = 16 /* generations of a barrier */ };

struct pile { size_t *maker; size_t count, room; };

/* Which event made the memory at an address: makers by page, large ones apart. */
struct makers {
    const struct hd_trace *t;
    struct { uint64_t page; struct pile pile; } *page;
    size_t pages, size;
    struct pile big;
};

bool hd_event_reads(const struct hd_event *e)
{
    return e->kind == HD_READ || e->kind == HD_ATOMIC_LOAD || e->kind == HD_ATOMIC_RMW;
}

bool hd_event_writes(const struct hd_event *e)
{
    return e->kind == HD_WRITE || e->kind == HD_UNSEEN_WRITE || e->kind == HD_ATOMIC_STORE ||
           e->kind == HD_ATOMIC_RMW;
}

bool hd_event_touches(const struct hd_event *e)
{
    return hd_event_reads(e) || hd_event_writes(e);
}

uint32_t hd_event_lock(const struct hd_trace *t, const struct hd_event *e)
{
    uint64_t lock = e->object;
    switch (e->kind) {
    case HD_COND_WAIT: lock = e->value - 1; break;
    case HD_LOCK:
    case HD_UNLOCK:
    case HD_TRYLOCK_FAIL:
    case HD_RDLOCK:
    case HD_WRLOCK:
    case HD_RWUNLOCK:
    case HD_TRYRDLOCK_FAIL:
    case HD_TRYWRLOCK_FAIL:
    case HD_LOCK_TIMEOUT: break;
    default: return HD_NO_INDEX;
    }
    return lock < t->objects ? (uint32_t)lock : HD_NO_INDEX;
}

static struct hd_holder *mine(struct hd_holders *h, uint32_t thread)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->holder[i].thread == thread)
            return &h->holder[i];
    return NULL;
}

static bool barred(const struct hd_holders *h, uint32_t thread, bool reading)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->holder[i].thread != thread && !(reading && h->holder[i].shared))
            return true;
    return false;
}

bool hd_holders_bar(struct hd_holders *h, const struct hd_event *e)
{
    const struct hd_holder *own = mine(h, e->thread);
    return (!own || (own->shared && e->kind == HD_WRLOCK)) && barred(h, e->thread, e->kind == HD_RDLOCK);
}

const char *hd_holders_apply(struct hd_holders *h, const struct hd_event *e)
{
    struct hd_holder *own = mine(h, e->thread);
    bool reading = e->kind == HD_RDLOCK || e->kind == HD_TRYRDLOCK_FAIL ||
                   (e->kind == HD_LOCK_TIMEOUT && e->value == HD_RDLOCK);
    switch (e->kind) {
    case HD_LOCK:
    case HD_RDLOCK:
    case HD_WRLOCK:
        if (own) {
            own->depth++;
            return NULL;
        }
        if (barred(h, e->thread, reading))
            return "lock is held by another thread";
        HD_GROW(h->holder, h->count, h->room);
        h->holder[h->count++] = (struct hd_holder){e->thread, 1, reading};
        return NULL;
    case HD_UNLOCK:
    case HD_RWUNLOCK:
    case HD_COND_WAIT:
        if (!own)
            return h->count ? "lock is released by another thread" : NULL;
        if (--own->depth == 0)
            *own = h->holder[--h->count];
        return NULL;
    default: return own || barred(h, e->thread, reading) ? NULL : "trylock would have succeeded";
    }
}

static bool region_of(const struct hd_trace *t, const struct hd_event *e, uint64_t *low, uint64_t *size)
{
    if (e->kind == HD_CREATE && e->value < t->threads) {
        *low = t->thread[e->value].stack_low;
        *size = t->thread[e->value].stack_size;
    } else if (e->kind == HD_ALLOC) {
        *low = e->address;
        *size = e->value;
    } else {
        return false;
    }
    return *size && *low + *size > *low;
}

static struct pile *page_at(struct makers *m, uint64_t page)
{
    size_t at = (page * 0x9e3779b97f4a7c15u >> 20) & (m->size - 1);
    while (m->page[at].pile.count && m->page[at].page != page)
        at = (at + 1) & (m->size - 1);
    m->page[at].page = page;
    return &m->page[at].pile;
}

static void put(struct makers *m, struct pile *p, size_t event)
{
    m->pages += p->count == 0;
    HD_GROW(p->maker, p->count, p->room);
    p->maker[p->count++] = event;
}

static void add_maker(struct makers *m, size_t event)
{
    uint64_t low, size;
    if (!region_of(m->t, &m->t->event[event], &low, &size))
        return;
    uint64_t first = low >> PAGE_BITS, last = (low + size - 1) >> PAGE_BITS;
    if (last - first >= BIG_PAGES) {
        put(m, &m->big, event);
        return;
    }
    for (uint64_t page = first; page <= last; page++) {
        if (2 * m->pages >= m->size) {
            struct makers old = *m;
            m->size = old.size * 2;
            m->page = hd_alloc(m->size * sizeof *m->page);
            for (size_t i = 0; i < old.size; i++)
                if (old.page[i].pile.count)
                    *page_at(m, old.page[i].page) = old.page[i].pile;
            free(old.page);
        }
        put(m, page_at(m, page), event);
    }
}

static size_t newest(const struct makers *m, const struct pile *p, uint64_t address)
{
    for (size_t i = p->count; i-- > 0;) {
        uint64_t low, size;
        if (region_of(m->t, &m->t->event[p->maker[i]], &low, &size) && address - low < size)
            return p->maker[i] + 1;
    }
    return 0;
}

static size_t maker_of(struct makers *m, uint64_t address)
{
    size_t small = newest(m, page_at(m, address >> PAGE_BITS), address), big = newest(m, &m->big, address);
    return small > big ? small : big;
}

static uint32_t byte_at(struct hd_survey *s, uint64_t address, size_t epoch)
{
    size_t at = (address * 0x9e3779b97f4a7c15u ^ epoch * 0xc2b2ae3d27d4eb4fu) >> 7 & s->mask;
    while (s->byte[at].used && (s->byte[at].address != address || s->byte[at].epoch != epoch))
        at = (at + 1) & s->mask;
    if (!s->byte[at].used)
        s->byte[at] = (struct hd_byte){.address = address, .epoch = epoch, .used = true, .toucher = HD_NO_INDEX};
    return (uint32_t)at;
}

static void note_byte(struct hd_survey *s, size_t i, unsigned k, size_t epoch)
{
    const struct hd_event *e = &s->t->event[i];
    uint32_t at = byte_at(s, e->address + k, epoch);
    struct hd_byte *b = &s->byte[at];
    HD_GROW(s->touch, s->touches, s->touch_room);
    HD_GROW(s->origin, s->touches, s->origin_room);
    s->touch[s->touches] = at;
    s->origin[s->touches++] = b->last;
    b->shared |= b->toucher != HD_NO_INDEX && b->toucher != e->thread;
    b->toucher = e->thread;
    if (hd_event_reads(e) && !b->last) {
        b->initial_known = true;
        b->initial = (uint8_t)(e->value >> (8 * k));
    }
    if (hd_event_writes(e)) {
        b->written = true;
        b->last = i + 1;
    }
}

static void survey_bytes(struct hd_survey *s)
{
    const struct hd_trace *t = s->t;
    struct makers m = {.t = t, .size = 64};
    size_t total = 0;
    m.page = hd_alloc(m.size * sizeof *m.page);
    for (size_t i = 0; i < t->events; i++)
        total += hd_event_touches(&t->event[i]) ? t->event[i].size : 0;
    for (s->mask = 64; s->mask < total * 2; s->mask *= 2)
        ;
    s->byte = hd_alloc(s->mask * sizeof *s->byte);
    s->mask--;
    s->where = hd_alloc((t->events + 1) * sizeof *s->where);
    for (size_t i = 0; i < t->events; i++) {
        s->where[i] = s->touches;
        add_maker(&m, i);
        if (!hd_event_touches(&t->event[i]))
            continue;
        size_t epoch = maker_of(&m, t->event[i].address);
        for (unsigned k = 0; k < t->event[i].size; k++)
            note_byte(s, i, k, epoch);
    }
    for (size_t i = 0; i < m.size; i++)
        free(m.page[i].pile.maker);
    free(m.page);
    free(m.big.maker);
}

static void require(struct hd_survey *s, size_t event, size_t before)
{
    HD_GROW(s->require, s->requires, s->require_room);
    s->require[s->requires++] = (struct hd_require){event, before};
}

/* Threads: the first event of one comes after its creation; a join after the end, or the last event. */
static void survey_threads(struct hd_survey *s)
{
    const struct hd_trace *t = s->t;
    size_t *first = hd_alloc((t->threads + 1) * sizeof *first), *last = hd_alloc((t->threads + 1) * sizeof *last);
    for (size_t i = t->events; i-- > 0;)
        first[t->event[i].thread] = i + 1;
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        last[e->thread] = i + 1;
        if (e->kind == HD_END)
            s->end[e->thread] = i + 1;
        if (e->kind == HD_CREATE && e->value < t->threads && first[e->value] > i + 1)
            require(s, first[e->value] - 1, i);
        if (e->kind == HD_JOIN && e->value < t->threads && last[e->value])
            require(s, i, (s->end[e->value] ? s->end[e->value] : last[e->value]) - 1);
    }
    free(first);
    free(last);
}

/* Of the events on an object before i, those of that kind (and value, where asked): all must come before i. */
static void require_kind(struct hd_survey *s, const size_t *previous, size_t i, unsigned kind, bool same_value)
{
    const struct hd_event *e = &s->t->event[i];
    for (size_t p = previous[i]; p; p = previous[p - 1]) {
        const struct hd_event *b = &s->t->event[p - 1];
        if (b->kind == kind && (!same_value || b->value == e->value))
            require(s, i, p - 1);
        if (kind == HD_ONCE_END && b->kind == kind)
            break;
        if (same_value && b->value + LATE < e->value)
            break;
    }
}

static void survey_objects(struct hd_survey *s)
{
    const struct hd_trace *t = s->t;
    size_t *latest = hd_alloc((t->objects + 1) * sizeof *latest), *bent = hd_alloc((t->objects + 1) * sizeof *bent);
    size_t *previous = hd_alloc((t->events + 1) * sizeof *previous);
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        uint32_t lock = hd_event_lock(t, e);
        if (lock != HD_NO_INDEX && s->odd[lock]) {
            if (bent[lock])
                require(s, i, bent[lock] - 1);
            bent[lock] = i + 1;
        }
        bool linked = e->kind == HD_BARRIER_ENTER || e->kind == HD_BARRIER_EXIT || e->kind == HD_HB_BEFORE ||
                      e->kind == HD_HB_AFTER || e->kind == HD_ONCE_END || e->kind == HD_ONCE_PASS;
        if (!linked || e->object >= t->objects)
            continue;
        previous[i] = latest[e->object];
        latest[e->object] = i + 1;
        if (e->kind == HD_BARRIER_EXIT)
            require_kind(s, previous, i, HD_BARRIER_ENTER, true);
        else if (e->kind == HD_HB_AFTER)
            require_kind(s, previous, i, HD_HB_BEFORE, false);
        else if (e->kind == HD_ONCE_PASS)
            require_kind(s, previous, i, HD_ONCE_END, false);
    }
    free(latest);
    free(bent);
    free(previous);
}

static void survey_locks(struct hd_survey *s)
{
    const struct hd_trace *t = s->t;
    struct hd_holders *h = hd_alloc((t->objects + 1) * sizeof *h);
    for (size_t i = 0; i < t->events; i++) {
        uint32_t lock = hd_event_lock(t, &t->event[i]);
        if (lock == HD_NO_INDEX || s->odd[lock])
            continue;
        bool fails = t->event[i].kind == HD_TRYLOCK_FAIL || t->event[i].kind == HD_TRYRDLOCK_FAIL ||
                     t->event[i].kind == HD_TRYWRLOCK_FAIL || t->event[i].kind == HD_LOCK_TIMEOUT;
        s->odd[lock] = !fails && hd_holders_apply(&h[lock], &t->event[i]) != NULL;
    }
    for (size_t o = 0; o < t->objects; o++)
        free(h[o].holder);
    free(h);
}

static void survey_semaphores(struct hd_survey *s)
{
    const struct hd_trace *t = s->t;
    int64_t *count = hd_alloc((t->objects + 1) * sizeof *count), *least = hd_alloc((t->objects + 1) * sizeof *least);
    bool *told = hd_alloc(t->objects + 1);
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        if ((e->kind != HD_SEM_POST && e->kind != HD_SEM_WAIT && e->kind != HD_SEM_FAIL) || e->object >= t->objects)
            continue;
        uint32_t o = e->object;
        if (!told[o] && e->value && e->value <= INT32_MAX) {
            s->semaphore[o] = (int64_t)e->value - 1 - count[o];
            told[o] = true;
        } else if (!told[o] && e->kind == HD_SEM_FAIL) {
            s->semaphore[o] = -count[o];
            told[o] = true;
        }
        count[o] += e->kind == HD_SEM_POST ? 1 : e->kind == HD_SEM_WAIT ? -1 : 0;
        least[o] = count[o] < least[o] ? count[o] : least[o];
    }
    for (size_t o = 0; o < t->objects; o++)
        if (s->semaphore[o] < -least[o])
            s->semaphore[o] = -least[o];
    free(count);
    free(least);
    free(told);
}

static int by_event(const void *a, const void *b)
{
    const struct hd_require *p = a, *q = b;
    return p->event < q->event ? -1 : p->event > q->event;
}

void hd_survey_make(struct hd_survey *s, const struct hd_trace *t, bool strict)
{
    *s = (struct hd_survey){.t = t, .strict = strict || !t->has_values};
    s->end = hd_alloc((t->threads + 1) * sizeof *s->end);
    s->semaphore = hd_alloc((t->objects + 1) * sizeof *s->semaphore);
    s->odd = hd_alloc(t->objects + 1);
    survey_bytes(s);
    survey_threads(s);
    survey_locks(s);
    survey_objects(s);
    survey_semaphores(s);
    if (s->requires)
        qsort(s->require, s->requires, sizeof *s->require, by_event);
}

void hd_survey_free(struct hd_survey *s)
{
    free(s->byte);
    free(s->where);
    free(s->touch);
    free(s->origin);
    free(s->require);
    free(s->end);
    free(s->semaphore);
    free(s->odd);
}
