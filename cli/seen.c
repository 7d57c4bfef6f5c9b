/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/seen.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

#define SHORT 3 /* context switches */

uint64_t hd_seen_mix(uint64_t v)
{
    v = (v ^ v >> 31) * 0x9e3779b97f4a7c15u;
    v = (v ^ v >> 29) * 0xbf58476d1ce4e5b9u;
    return v ^ v >> 32;
}

static size_t slot_of(const struct hd_seen *s, uint64_t key)
{
    size_t at = hd_seen_mix(key) & (s->size - 1);
    while (s->value[at] && s->key[at] != key)
        at = (at + 1) & (s->size - 1);
    return at;
}

unsigned hd_seen_get(const struct hd_seen *s, uint64_t key)
{
    return s->size ? s->value[slot_of(s, key)] : 0;
}

void hd_seen_set(struct hd_seen *s, uint64_t key, unsigned value)
{
    if (2 * s->count >= s->size) {
        struct hd_seen old = *s;
        s->size = old.size ? old.size * 2 : 64;
        s->key = hd_alloc(s->size * sizeof *s->key);
        s->value = hd_alloc(s->size);
        s->count = 0;
        for (size_t i = 0; i < old.size; i++)
            if (old.value[i])
                hd_seen_set(s, old.key[i], old.value[i]);
        hd_seen_free(&old);
    }
    size_t at = slot_of(s, key);
    s->count += !s->value[at];
    s->key[at] = key;
    s->value[at] = (uint8_t)value;
}

void hd_seen_free(struct hd_seen *s)
{
    free(s->key);
    free(s->value);
    *s = (struct hd_seen){ 0 };
}

/* ------------------------------------------------------------ runs */

static uint64_t mix(uint64_t h, uint64_t v)
{
    return hd_seen_mix(h * 31 + v);
}

static uint64_t path_hash(const struct hd_trace *t, size_t thread)
{
    uint64_t h = 0;
    for (const char *s = t->thread[thread].path; s && *s; s++)
        h = mix(h, (unsigned char)*s);
    return h;
}

/* Who waits on a condition and was not signalled yet, in the order in which they began. */
struct queue { uint32_t *object, *thread; size_t count; };

/* What a signal meets: no thread reads it, and yet it decides who goes on. */
static uint64_t take_from(struct queue *q, const struct hd_trace *t, const struct hd_event *e)
{
    uint64_t h = 0;
    size_t kept = 0;
    bool taken = false;
    for (size_t i = 0; i < q->count; i++) {
        bool here = q->object[i] == e->object, goes = here && (e->kind == HD_BROADCAST || !taken);
        h = here ? mix(h, path_hash(t, q->thread[i])) : h;
        taken |= goes;
        if (goes)
            continue;
        q->object[kept] = q->object[i];
        q->thread[kept++] = q->thread[i];
    }
    q->count = kept;
    return h;
}

static uint64_t met(struct queue *q, const struct hd_trace *t, const struct hd_event *e)
{
    if (e->kind == HD_SIGNAL || e->kind == HD_BROADCAST)
        return take_from(q, t, e);
    if (e->kind == HD_COND_WAIT) {
        q->object[q->count] = e->object;
        q->thread[q->count++] = e->thread;
    } else if (e->kind == HD_COND_WAKE) {
        size_t kept = 0;
        for (size_t i = 0; i < q->count; i++)
            if (q->thread[i] != e->thread) {
                q->object[kept] = q->object[i];
                q->thread[kept++] = q->thread[i];
            }
        q->count = kept;
    }
    return 0;
}

uint64_t hd_run_signature(const struct hd_trace *t)
{
    uint64_t *thread = hd_alloc((t->threads + 1) * sizeof *thread), sum = 1;
    struct queue queue = { hd_alloc((t->events + 1) * sizeof *queue.object),
                           hd_alloc((t->events + 1) * sizeof *queue.thread), 0 };
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        bool counts = hd_kind_is_sync(e->kind) || hd_kind_is_access(e->kind) || e->kind == HD_ASSERT;
        if (!counts || e->kind == HD_QUANTUM)
            continue;
        uint64_t h = mix(mix(thread[e->thread], e->kind), e->k);
        thread[e->thread] = mix(mix(h, e->value), e->second + met(&queue, t, e));
    }
    for (size_t i = 0; i < t->threads; i++)
        sum += mix(path_hash(t, i), thread[i]);
    free(queue.object);
    free(queue.thread);
    free(thread);
    return sum ? sum : 1;
}

/* ------------------------------------------------------------ files */

bool hd_kept_better(struct hd_kept *k, const char *id, const Heddle__Verdict *v, const char *path, char **drop)
{
    struct hd_kept_file *f = k->file;
    while (f < k->file + k->files && (strcmp(f->id, id) != 0 || f->kind != v->kind))
        f++;
    if (f < k->file + k->files && f->switches <= v->context_switches)
        return false;
    if (f == k->file + k->files) {
        HD_GROW(k->file, k->files, k->room);
        f = &k->file[k->files++];
        *f = (struct hd_kept_file){ .id = hd_strdup(id), .kind = v->kind };
    }
    *drop = f->path;
    free(f->text);
    f->path = hd_strdup(path);
    f->text = hd_strdup(v->text);
    f->switches = v->context_switches;
    return true;
}

bool hd_kept_short(const struct hd_kept *k, const char *id)
{
    for (size_t i = 0; i < k->files; i++)
        if (k->file[i].kind == HEDDLE__VERDICT__KIND__FAILING && k->file[i].switches <= SHORT &&
            strcmp(k->file[i].id, id) == 0)
            return true;
    return false;
}

bool hd_kept_fails_so(const struct hd_kept *k, const char *text)
{
    for (size_t i = 0; i < k->files; i++)
        if (k->file[i].kind == HEDDLE__VERDICT__KIND__FAILING && strcmp(k->file[i].text, text) == 0)
            return true;
    return false;
}

void hd_kept_free(struct hd_kept *k)
{
    for (size_t i = 0; i < k->files; i++) {
        free(k->file[i].id);
        free(k->file[i].path);
        free(k->file[i].text);
    }
    free(k->file);
    *k = (struct hd_kept){ 0 };
}
