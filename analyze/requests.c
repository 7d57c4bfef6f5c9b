// SPDX-License-Identifier: Apache-2.0
#include "analyze/requests.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/feas.h"
#include "proto/memory.h"

enum { LOOKS = 50000000 };

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t key_of(const struct hd_index *x, const struct hd_item *it, uint32_t progress)
{
    uint64_t held = 0, about = it->object;
    for (uint32_t h = it->held; h != HD_NO_INDEX; h = x->held[h].below)
        held += mix(0x6a09e667f3bcc909u, (uint64_t)x->held[h].lock << 1 | x->held[h].shared);
    if (hd_request_joins(x, it))
        about = mix(0xbb67ae8584caa73bu, x->trace->event[it->position].value);
    uint64_t mode = it->shared + 2u * hd_request_gives_way(x, it);
    return mix(mix(mix(mix(held + 0x3c6ef372fe94f82bu, it->thread), about), mode), progress);
}

struct table { uint32_t *at; size_t size; }; /* 1 + class */

static void add_request(struct hd_requests *r, struct table *t, uint32_t item, uint32_t progress)
{
    uint64_t key = key_of(r->x, &r->x->item[item], progress);
    size_t at = key & (t->size - 1);
    while (t->at[at] && r->alike[t->at[at] - 1].key != key)
        at = (at + 1) & (t->size - 1);
    if (!t->at[at]) {
        HD_GROW(r->alike, r->alikes, r->room);
        r->alike[r->alikes] = (struct hd_alike){.key = key};
        t->at[at] = (uint32_t)++r->alikes;
    }
    struct hd_alike *a = &r->alike[t->at[at] - 1];
    HD_GROW(a->item, a->count, a->room);
    a->item[a->count++] = item;
}

static bool is_request(const struct hd_index *x, const struct hd_item *it)
{
    return it->class == HD_TAKE || hd_request_gives_way(x, it) || it->class == HD_PASSES || (it->class == HD_WOKEN && !it->all) ||
           hd_request_passes_once(x, it) ||
           (hd_request_joins(x, it) && x->trace->event[it->position].value < x->threads);
}

static void gather(struct hd_requests *r)
{
    const struct hd_index *x = r->x;
    struct table t = {.size = 64};
    uint32_t *progress = hd_alloc(((size_t)x->threads + 1) * sizeof *progress);
    size_t requests = 0;
    for (uint32_t i = 0; i < x->items; i++)
        requests += is_request(x, &x->item[i]);
    while (t.size < 2 * requests)
        t.size *= 2;
    t.at = hd_alloc(t.size * sizeof *t.at);
    for (uint32_t i = 0; i < x->items; i++) {
        const struct hd_item *it = &x->item[i];
        if (is_request(x, it))
            add_request(r, &t, i, progress[it->thread]);
        unsigned kind = x->trace->event[it->position].kind;
        progress[it->thread] += it->class == HD_PASSES || it->class == HD_POSTS || it->class == HD_SIGNALS ||
                                it->class == HD_WOKEN || kind == HD_ONCE_BEGIN || kind == HD_ONCE_END;
    }
    free(t.at);
    free(progress);
}

/* ------------------------------------------------------------- semaphores */

static const struct hd_track *track_of(const struct hd_tracks *s, uint32_t object, uint32_t thread)
{
    for (uint32_t n = s->first[object]; n < s->first[object + 1]; n++)
        if (s->track[n].thread == thread)
            return &s->track[n];
    return NULL;
}

static uint32_t done_by(const struct hd_tracks *s, uint32_t object, uint32_t thread, uint32_t index)
{
    const struct hd_track *t = track_of(s, object, thread);
    return t ? hd_track_count(s, t, index) : 0;
}

static bool owes(const struct hd_tracks *s, uint32_t object, const struct hd_item *at)
{
    const struct hd_track *t = track_of(s, object, at->thread);
    return t && hd_track_count(s, t, at->index) < t->to - t->from;
}

/* Every thread waits, posts, waits, posts: whoever is in between has the only unit. */
static bool is_mutex(const struct hd_index *x, uint32_t object)
{
    const struct hd_tracks *passes = &x->passes, *posts = &x->posts;
    if (x->initial[object] != 1)
        return false;
    for (uint32_t n = posts->first[object]; n < posts->first[object + 1]; n++)
        if (!track_of(passes, object, posts->track[n].thread))
            return false;
    for (uint32_t n = passes->first[object]; n < passes->first[object + 1]; n++) {
        const struct hd_track *in = &passes->track[n], *out = track_of(posts, object, in->thread);
        uint32_t ins = in->to - in->from, outs = out ? out->to - out->from : 0;
        if (outs > ins || outs + 1 < ins)
            return false;
        for (uint32_t k = 0; k < ins; k++)
            if ((k && passes->at[in->from + k] < posts->at[out->from + k - 1]) ||
                (k < outs && posts->at[out->from + k] < passes->at[in->from + k]))
                return false;
    }
    return true;
}

static void classify(struct hd_requests *r)
{
    const struct hd_index *x = r->x;
    for (uint32_t o = 0; o < x->objects; o++) {
        uint32_t waiters = x->passes.first[o + 1] - x->passes.first[o];
        uint32_t posters = x->posts.first[o + 1] - x->posts.first[o];
        if (waiters && is_mutex(x, o))
            r->use[o] = HD_SEMAPHORE_MUTEX;
        else if (waiters == 1 && posters == 1 &&
                 x->passes.track[x->passes.first[o]].thread != x->posts.track[x->posts.first[o]].thread)
            r->use[o] = HD_SEMAPHORE_PAIR;
    }
}

static bool semaphore_blocks(const struct hd_requests *r, const struct hd_item *at, const struct hd_item *request)
{
    const struct hd_index *x = r->x;
    uint32_t object = request->object;
    if (!owes(&x->posts, object, at))
        return false;
    uint32_t posted = done_by(&x->posts, object, at->thread, at->index);
    if (r->use[object] == HD_SEMAPHORE_MUTEX)
        return done_by(&x->passes, object, at->thread, at->index) > posted;
    if (r->use[object] == HD_SEMAPHORE_PAIR)
        return x->initial[object] + posted == done_by(&x->passes, object, request->thread, request->index);
    return true;
}

/* ------------------------------------------------------------------- once */

static void find_onces(struct hd_requests *r)
{
    const struct hd_index *x = r->x;
    for (uint32_t o = 0; o < x->objects; o++)
        r->once[o].begin = r->once[o].end = HD_NO_INDEX;
    for (uint32_t i = x->items; i-- > 0;) {
        unsigned kind = x->trace->event[x->item[i].position].kind;
        if (kind == HD_ONCE_BEGIN)
            r->once[x->item[i].object].begin = i;
        else if (kind == HD_ONCE_END)
            r->once[x->item[i].object].end = i;
    }
}

static bool is_inside(const struct hd_requests *r, const struct hd_item *at, uint32_t once)
{
    const struct hd_item *item = r->x->item;
    uint32_t begin = r->once[once].begin, end = r->once[once].end;
    return begin != HD_NO_INDEX && item[begin].thread == at->thread && item[begin].index < at->index &&
           (end == HD_NO_INDEX || item[end].thread != at->thread || at->index <= item[end].index);
}

/* ------------------------------------------------------------------ edges */

static bool blocks(const struct hd_requests *r, uint32_t at, uint32_t request)
{
    const struct hd_index *x = r->x;
    const struct hd_item *a = &x->item[at], *q = &x->item[request];
    if (a->thread == q->thread)
        return false;
    if (hd_request_is_behind(x, q, a))
        return true;
    if (hd_request_joins(x, q))
        return x->trace->event[q->position].value == a->thread;
    if (hd_request_passes_once(x, q))
        return is_inside(r, a, q->object);
    switch (q->class) {
    case HD_TAKE: return hd_feas_blocks(x, at, request);
    case HD_PASSES: return semaphore_blocks(r, a, q);
    case HD_WOKEN: return owes(&x->signals, q->object, a);
    default: return false;
    }
}

/* Classes that hold a lock; that request it to write; that are a thread's. */
struct piles { struct hd_list *lock, *writer, *thread; };

static void put(struct hd_list *list, uint32_t class)
{
    if ((list->count & (list->count - 1)) == 0) /* at every power of two */
        list->item = hd_realloc(list->item, list->count ? (size_t)list->count * 2 : 1, sizeof *list->item);
    list->item[list->count++] = class;
}

static void add_edges(struct hd_requests *r, uint32_t class, const struct hd_list *pile)
{
    r->looked += pile->count;
    if (r->looked > LOOKS) {
        r->cut[class] |= pile->count > 0;
        return;
    }
    for (uint32_t n = 0; n < pile->count; n++)
        if (blocks(r, r->alike[pile->item[n]].item[0], r->alike[class].item[0]))
            put(&r->blockers[class], pile->item[n]);
}

static void edges_of(struct hd_requests *r, uint32_t class, const struct piles *p)
{
    const struct hd_index *x = r->x;
    const struct hd_item *it = hd_request_sample(r, class);
    if (hd_request_joins(x, it)) {
        add_edges(r, class, &p->thread[x->trace->event[it->position].value]);
    } else if (hd_request_passes_once(x, it)) {
        uint32_t begin = r->once[it->object].begin;
        if (begin != HD_NO_INDEX)
            add_edges(r, class, &p->thread[x->item[begin].thread]);
    } else if (it->class == HD_TAKE || hd_request_gives_way(x, it)) {
        if (it->class == HD_TAKE)
            add_edges(r, class, &p->lock[it->object]);
        if (hd_request_gives_way(x, it))
            add_edges(r, class, &p->writer[it->object]);
    } else {
        const struct hd_tracks *s = it->class == HD_PASSES ? &x->posts : &x->signals;
        for (uint32_t n = s->first[it->object]; n < s->first[it->object + 1]; n++)
            add_edges(r, class, &p->thread[s->track[n].thread]);
    }
}

static void link_all(struct hd_requests *r)
{
    const struct hd_index *x = r->x;
    struct piles p = {hd_alloc(((size_t)x->objects + 1) * sizeof *p.lock),
                      hd_alloc(((size_t)x->objects + 1) * sizeof *p.writer),
                      hd_alloc(((size_t)x->threads + 1) * sizeof *p.thread)};
    for (uint32_t i = 0; i < r->alikes; i++) {
        const struct hd_item *it = hd_request_sample(r, i);
        put(&p.thread[it->thread], i);
        if (it->class == HD_TAKE && !it->shared)
            put(&p.writer[it->object], i);
        for (uint32_t h = it->held; h != HD_NO_INDEX; h = x->held[h].below)
            put(&p.lock[x->held[h].lock], i);
    }
    for (uint32_t i = 0; i < r->alikes; i++)
        edges_of(r, i, &p);
    for (uint32_t o = 0; o < x->objects; o++) {
        free(p.lock[o].item);
        free(p.writer[o].item);
    }
    for (uint32_t t = 0; t < x->threads; t++)
        free(p.thread[t].item);
    free(p.lock);
    free(p.writer);
    free(p.thread);
}

/* A class that waits for none, or that none waits for, is in no cycle. */
static void prune(struct hd_requests *r)
{
    bool *live = hd_alloc(r->alikes + 1), *wanted = hd_alloc(r->alikes + 1), changed = true;
    memset(live, 1, r->alikes);
    while (changed) {
        changed = false;
        memset(wanted, 0, r->alikes);
        for (uint32_t i = 0; i < r->alikes; i++) {
            struct hd_list *l = &r->blockers[i];
            uint32_t kept = 0;
            for (uint32_t n = 0; live[i] && n < l->count; n++)
                if (live[l->item[n]] && r->blockers[l->item[n]].count) {
                    l->item[kept++] = l->item[n];
                    wanted[l->item[n]] = true;
                }
            changed |= kept != l->count;
            l->count = kept;
        }
        for (uint32_t i = 0; i < r->alikes; i++)
            if (live[i] && !wanted[i]) {
                live[i] = false;
                changed = true;
            }
    }
    free(live);
    free(wanted);
}

void hd_requests_make(struct hd_requests *r, const struct hd_index *x)
{
    *r = (struct hd_requests){.x = x};
    gather(r);
    r->use = hd_alloc((size_t)x->objects + 1);
    classify(r);
    r->once = hd_alloc(((size_t)x->objects + 1) * sizeof *r->once);
    find_onces(r);
    r->blockers = hd_alloc((r->alikes + 1) * sizeof *r->blockers);
    r->cut = hd_alloc(r->alikes + 1);
    link_all(r);
    prune(r);
}

void hd_requests_free(struct hd_requests *r)
{
    for (size_t i = 0; i < r->alikes; i++) {
        free(r->alike[i].item);
        free(r->blockers[i].item);
    }
    free(r->alike);
    free(r->blockers);
    free(r->use);
    free(r->once);
    free(r->cut);
}
