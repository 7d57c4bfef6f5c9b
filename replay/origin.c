/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/origin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "symbols/symbols.h"

static bool is_within(uint64_t value, uint64_t low, uint64_t size)
{
    return value >= low && value - low < size;
}

static bool is_address(const struct hd_trace *t, uint64_t value)
{
    for (size_t i = 0; i < t->modules; i++)
        if (is_within(value, t->module[i].base, t->module[i].size))
            return true;
    for (size_t i = 0; i < t->threads; i++)
        if (is_within(value, t->thread[i].stack_low, t->thread[i].stack_size))
            return true;
    for (size_t i = 0; i < t->events; i++)
        if (t->event[i].kind == HD_ALLOC && is_within(value, t->event[i].address, t->event[i].value ? t->event[i].value : 1))
            return true;
    return false;
}

bool hd_both_addresses(const struct hd_trace *a, const struct hd_event *x, const struct hd_trace *b,
                       const struct hd_event *y)
{
    return x->size == 8 && y->size == 8 && is_address(a, x->value) && is_address(b, y->value);
}

static bool writes(unsigned kind)
{
    return kind == HD_WRITE || kind == HD_ATOMIC_STORE || kind == HD_ATOMIC_RMW || kind == HD_UNSEEN_WRITE;
}

/* The last write to a byte of it before; SIZE_MAX: none. */
static size_t writer_of(const struct hd_trace *t, size_t read)
{
    const struct hd_event *e = &t->event[read];
    for (size_t i = read; i-- > 0;) {
        const struct hd_event *w = &t->event[i];
        if (writes(w->kind) && w->address < e->address + e->size && e->address < w->address + w->size)
            return i;
    }
    return SIZE_MAX;
}

static bool same_identity(const struct hd_trace *a, size_t x, const struct hd_trace *b, size_t y)
{
    const struct hd_event *e = &a->event[x], *f = &b->event[y];
    return e->n == f->n && e->k == f->k && e->kind == f->kind &&
           strcmp(a->thread[e->thread].path, b->thread[f->thread].path) == 0;
}

static char *place(struct hd_symbols *s, const struct hd_trace *t, uint32_t site)
{
    const struct hd_place *p = site < t->sites ? hd_symbols_place(s, site) : NULL;
    return p && *p->file ? hd_format(" (%s:%" PRIu32 ")", p->file, p->line) : hd_strdup("");
}

static const char *why(const struct hd_trace *recorded, size_t was, const struct hd_trace *rerun, size_t read,
                       size_t writer)
{
    size_t then = writer_of(recorded, was);
    if (hd_both_addresses(rerun, &rerun->event[read], recorded, &recorded->event[was]))
        return "an address";
    if (writer == SIZE_MAX || rerun->event[writer].kind == HD_UNSEEN_WRITE)
        return "nobody was seen writing it: input, time, or code that is not built with heddle";
    if (then == SIZE_MAX || !same_identity(recorded, then, rerun, writer))
        return "another write than in the recording";
    return "the same write, of what it had from no memory: input, time, or what a call returned";
}

char *hd_origin_words(const struct hd_trace *recorded, size_t was, const struct hd_trace *rerun, size_t read)
{
    size_t writer = writer_of(rerun, read);
    const char *reason = why(recorded, was, rerun, read, writer);
    if (writer == SIZE_MAX || rerun->event[writer].kind == HD_UNSEEN_WRITE)
        return hd_strdup(reason);
    struct hd_symbols *s = hd_symbols_new(rerun);
    char *at = place(s, rerun, rerun->event[writer].site);
    char *words = hd_format("%s wrote it%s: %s", rerun->thread[rerun->event[writer].thread].path, at, reason);
    free(at);
    hd_symbols_free(s);
    return words;
}
