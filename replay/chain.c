/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/chain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "symbols/symbols.h"

#define NONE SIZE_MAX
#define LONGEST 16

struct compared {
    const struct hd_trace *recorded, *rerun;
    size_t *same; /* per event of the rerun: the recorded one, or NONE */
};

static bool is_memory(const struct hd_event *e)
{
    return e->kind == HD_READ || e->kind == HD_WRITE || hd_kind_is_atomic(e->kind);
}

static bool reads(const struct hd_event *e)
{
    return e->kind == HD_READ || e->kind == HD_ATOMIC_LOAD || e->kind == HD_ATOMIC_RMW;
}

static bool writes(const struct hd_event *e)
{
    return e->kind == HD_WRITE || e->kind == HD_ATOMIC_STORE || e->kind == HD_ATOMIC_RMW;
}

/* -1, 0, 1 as `a` comes before, is, or comes after `b` in their thread. */
static int compare(const struct hd_event *a, const struct hd_event *b)
{
    uint32_t k = hd_kind_is_sync(a->kind) ? 0 : a->k + 1, other = hd_kind_is_sync(b->kind) ? 0 : b->k + 1;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return k < other ? -1 : k > other;
}

static size_t next_of(const struct hd_trace *t, uint32_t thread, size_t from)
{
    while (from < t->events && (t->event[from].thread != thread || !is_memory(&t->event[from])))
        from++;
    return from;
}

static void match_thread(struct compared *c, uint32_t in_rerun, uint32_t in_recorded)
{
    size_t i = next_of(c->rerun, in_rerun, 0), j = next_of(c->recorded, in_recorded, 0);
    while (i < c->rerun->events && j < c->recorded->events) {
        const struct hd_event *e = &c->rerun->event[i], *r = &c->recorded->event[j];
        int order = compare(e, r);
        if (order == 0 && e->kind == r->kind && e->size == r->size)
            c->same[i] = j;
        if (order <= 0)
            i = next_of(c->rerun, in_rerun, i + 1);
        if (order >= 0)
            j = next_of(c->recorded, in_recorded, j + 1);
    }
}

static void match(struct compared *c)
{
    for (size_t i = 0; i < c->rerun->events; i++)
        c->same[i] = NONE;
    for (uint32_t a = 0; a < c->rerun->threads; a++)
        for (uint32_t b = 0; b < c->recorded->threads; b++)
            if (strcmp(c->rerun->thread[a].path, c->recorded->thread[b].path) == 0)
                match_thread(c, a, b);
}

static uint64_t written(const struct hd_event *e)
{
    return e->kind == HD_ATOMIC_RMW ? e->second : e->value;
}

static bool read_differs(const struct compared *c, size_t i)
{
    const struct hd_event *e = &c->rerun->event[i];
    return reads(e) && c->same[i] != NONE && c->recorded->event[c->same[i]].value != e->value;
}

static bool write_differs(const struct compared *c, size_t i)
{
    const struct hd_event *e = &c->rerun->event[i];
    return writes(e) && (c->same[i] == NONE || written(&c->recorded->event[c->same[i]]) != written(e));
}

/* The last read of that thread before `i` that saw something else. */
static size_t differing_read_before(const struct compared *c, size_t i)
{
    uint32_t thread = c->rerun->event[i].thread;
    while (i-- > 0)
        if (c->rerun->event[i].thread == thread && read_differs(c, i))
            return i;
    return NONE;
}

static size_t writer_of(const struct hd_trace *t, size_t read)
{
    const struct hd_event *r = &t->event[read];
    for (size_t i = read; i-- > 0;) {
        const struct hd_event *e = &t->event[i];
        if (writes(e) && e->address < r->address + r->size && r->address < e->address + e->size)
            return i;
    }
    return NONE;
}

/* The write that the read saw when recorded, as the rerun made it: before the read, and overwritten since. */
static size_t recorded_writer(const struct compared *c, size_t read)
{
    size_t writer = writer_of(c->recorded, c->same[read]);
    for (size_t i = 0; writer != NONE && i < read; i++)
        if (c->same[i] == writer)
            return i;
    return NONE;
}

/* What failed: the last assertion that did, or the last event there is. */
static size_t end_of(const struct hd_trace *t)
{
    for (size_t i = t->events; i-- > 0;)
        if (t->event[i].kind == HD_ASSERT && !t->event[i].value)
            return i;
    return t->events - 1;
}

static int by_position(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Where to look on from, NONE: nowhere. Adds the write that the read saw where that explains something. */
static size_t step_back(const struct compared *c, size_t read, size_t *found, size_t *count)
{
    size_t write = writer_of(c->rerun, read), lost;
    if (write == NONE)
        return NONE;
    if (write_differs(c, write)) {
        bool update = c->rerun->event[write].kind == HD_ATOMIC_RMW;
        if (!update || !read_differs(c, write))
            found[(*count)++] = write;
        return write + update;
    }
    lost = recorded_writer(c, read);
    if (lost == NONE || lost == write)
        return NONE;
    found[(*count)++] = write;
    if (write_differs(c, lost))
        found[(*count)++] = lost;
    return lost;
}

static size_t go_back(const struct compared *c, size_t *found)
{
    size_t count = 0, at = end_of(c->rerun);
    at += read_differs(c, at);
    while (at != NONE && count + 3 < LONGEST) {
        size_t read = differing_read_before(c, at);
        if (read == NONE)
            break;
        found[count++] = read;
        at = step_back(c, read, found, &count);
    }
    qsort(found, count, sizeof *found, by_position);
    return count;
}

static char *value_words(const struct hd_event *e)
{
    if (e->kind == HD_ATOMIC_RMW)
        return hd_format("%" PRIu64 ", then %" PRIu64, e->value, e->second);
    return hd_format("%" PRIu64, e->value);
}

static Heddle__Link *new_link(const char *thread, char *words)
{
    Heddle__Link *l = hd_alloc(sizeof *l);
    heddle__link__init(l);
    l->thread = hd_strdup(thread);
    l->words = words;
    l->value = hd_strdup("");
    l->recorded = hd_strdup("");
    l->file = hd_strdup("");
    return l;
}

static Heddle__Link *link_of(const struct compared *c, struct hd_symbols *s, size_t i)
{
    const struct hd_trace *t = c->rerun;
    const struct hd_event *e = &t->event[i];
    const char *verb = e->kind == HD_ATOMIC_RMW ? "updates" : reads(e) ? "reads" : "writes";
    Heddle__Link *l = new_link(t->thread[e->thread].path, hd_format("%s `%s`", verb, hd_symbols_datum(s, i)));
    const struct hd_place *p = e->site < t->sites ? hd_symbols_place(s, e->site) : NULL;
    free(l->value);
    l->value = value_words(e);
    if (c->same[i] != NONE) {
        free(l->recorded);
        l->recorded = value_words(&c->recorded->event[c->same[i]]);
    }
    if (p && p->line) {
        free(l->file);
        l->file = hd_strdup(p->file);
        l->line = p->line;
    }
    return l;
}

struct hd_chain hd_chain_make(const struct hd_trace *recorded, const struct hd_trace *rerun, const char *end)
{
    struct hd_chain chain = {0};
    size_t found[LONGEST];
    if (!recorded || !rerun || !rerun->events || !recorded->has_values)
        return chain;
    struct compared c = {recorded, rerun, hd_alloc((rerun->events + 1) * sizeof *c.same)};
    match(&c);
    size_t count = go_back(&c, found);
    chain.link = hd_alloc((count + 1) * sizeof *chain.link);
    struct hd_symbols *s = hd_symbols_new(rerun);
    for (size_t i = 0; i < count; i++)
        chain.link[chain.links++] = link_of(&c, s, found[i]);
    if (count)
        chain.link[chain.links++] = new_link(rerun->thread[rerun->event[end_of(rerun)].thread].path, hd_strdup(end));
    hd_symbols_free(s);
    free(c.same);
    return chain;
}

void hd_chain_free(struct hd_chain *chain)
{
    for (size_t i = 0; i < chain->links; i++)
        heddle__link__free_unpacked(chain->link[i], NULL);
    free(chain->link);
    *chain = (struct hd_chain){0};
}
