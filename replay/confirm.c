/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/confirm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "proto/witness_words.h"
#include "replay/origin.h"
#include "symbols/symbols.h"

static uint32_t thread_named(const struct hd_trace *t, const char *path)
{
    for (uint32_t i = 0; i < t->threads; i++)
        if (strcmp(t->thread[i].path, path) == 0)
            return i;
    return HD_NO_INDEX;
}

static bool reads(unsigned kind)
{
    return kind == HD_READ || kind == HD_ATOMIC_LOAD || kind == HD_ATOMIC_RMW;
}

size_t hd_event_of(const Heddle__Witness *w, const Heddle__Role *role, const struct hd_trace *t)
{
    const Heddle__Step *at = role->at;
    uint32_t thread = thread_named(t, w->thread[role->thread]);
    bool access = hd_kind_is_access(at->kind);
    for (size_t i = 0; i < t->events && thread != HD_NO_INDEX; i++) {
        const struct hd_event *e = &t->event[i];
        if (e->thread == thread && e->n == at->n &&
            (access ? hd_kind_is_access(e->kind) && e->k == at->k : hd_kind_is_sync(e->kind)))
            return i;
    }
    return SIZE_MAX;
}

char *hd_event_words(const Heddle__Witness *w, const Heddle__Role *role)
{
    char *at = role->at->anchor ? hd_anchor_words(w, role->at->anchor) : hd_strdup("?");
    char *words = hd_format("%s (%s%s%s%s, %s)", w->thread[role->thread], hd_kind_word(role->at->kind),
                            *role->at->datum ? " of `" : "", role->at->datum, *role->at->datum ? "`" : "", at);
    free(at);
    return words;
}

static char *read_words(const struct hd_trace *t, const struct hd_event *e, uint64_t recorded)
{
    struct hd_symbols *s = hd_symbols_new(t);
    const struct hd_place *place = e->site < t->sites ? hd_symbols_place(s, e->site) : NULL;
    char *where = place && *place->file ? hd_format(" (%s:%" PRIu32 ")", place->file, place->line) : hd_strdup("");
    char *words = hd_format("%s read `%s` = %" PRIu64 "%s, recorded %" PRIu64, t->thread[e->thread].path,
                            hd_symbols_datum(s, (uint64_t)(e - t->event)), e->value, where, recorded);
    free(where);
    hd_symbols_free(s);
    return words;
}

enum hd_confirmed hd_confirm_read(const Heddle__Witness *w, const struct hd_trace *rerun, char **words)
{
    *words = hd_strdup("");
    for (size_t i = 0; i < w->finding->n_role; i++) {
        const Heddle__Role *role = w->finding->role[i];
        if (strcmp(role->name, "r") != 0 || !role->has_value)
            continue;
        size_t position = hd_event_of(w, role, rerun);
        const struct hd_event *e = position == SIZE_MAX ? NULL : &rerun->event[position];
        if (!e || !reads(e->kind))
            return HD_CONFIRM_NONE;
        free(*words);
        *words = read_words(rerun, e, role->value);
        return e->value == role->value ? HD_CONFIRM_UNCHANGED : HD_CONFIRM_SEEN;
    }
    return HD_CONFIRM_NONE;
}

/* Both runs' events of a thread in order; a cursor a thread, for identities only grow. */
struct comparison {
    const struct hd_trace *recorded, *rerun;
    size_t *at;
    uint32_t *other; /* by thread of the rerun: the recording's */
};

/* The read of the recording that is `e`, SIZE_MAX where it has none. */
static size_t partner_of(struct comparison *c, const struct hd_event *e)
{
    const struct hd_trace *t = c->recorded;
    size_t *cursor = &c->at[e->thread];
    if (c->other[e->thread] == HD_NO_INDEX)
        return SIZE_MAX;
    for (; *cursor < t->events; ++*cursor) {
        const struct hd_event *r = &t->event[*cursor];
        if (r->thread == c->other[e->thread] && reads(r->kind) && (r->n > e->n || (r->n == e->n && r->k >= e->k)))
            break;
    }
    const struct hd_event *r = *cursor < t->events ? &t->event[*cursor] : NULL;
    return r && r->n == e->n && r->k == e->k && r->kind == e->kind && r->size == e->size ? *cursor : SIZE_MAX;
}

static char *difference_words(const struct comparison *c, size_t was, size_t is)
{
    char *one = read_words(c->rerun, &c->rerun->event[is], c->recorded->event[was].value);
    char *origin = hd_origin_words(c->recorded, was, c->rerun, is);
    char *words = hd_format("first other value: %s; %s", one, origin);
    free(one);
    free(origin);
    return words;
}

/* Addresses differ from run to run and seldom matter: one is the answer only where nothing else differs. */
char *hd_first_difference(const struct hd_trace *recorded, const struct hd_trace *rerun)
{
    struct comparison c = { recorded, rerun, hd_alloc((rerun->threads + 1) * sizeof *c.at),
                            hd_alloc((rerun->threads + 1) * sizeof *c.other) };
    size_t found = SIZE_MAX, was = SIZE_MAX;
    bool address = true;
    for (uint32_t i = 0; i < rerun->threads; i++)
        c.other[i] = thread_named(recorded, rerun->thread[i].path);
    for (size_t i = 0; i < rerun->events && address; i++) {
        const struct hd_event *e = &rerun->event[i];
        size_t partner = reads(e->kind) ? partner_of(&c, e) : SIZE_MAX;
        if (partner == SIZE_MAX || recorded->event[partner].value == e->value)
            continue;
        address = hd_both_addresses(recorded, &recorded->event[partner], rerun, e);
        if (found == SIZE_MAX || !address) {
            found = i;
            was = partner;
        }
    }
    char *words = found == SIZE_MAX ? NULL : difference_words(&c, was, found);
    free(c.at);
    free(c.other);
    return words;
}

/* ------------------------------------------------------------ use after free */

struct freed { uint64_t low, high; size_t position; };

struct graveyard { struct freed *block; size_t blocks, room; };

static void bury(struct graveyard *g, const struct hd_event *e, size_t position)
{
    HD_GROW(g->block, g->blocks, g->room);
    g->block[g->blocks++] = (struct freed){ e->address, e->address + (e->value ? e->value : 1), position };
}

/* New memory there: the old block is history. */
static void reuse(struct graveyard *g, uint64_t low, uint64_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->blocks; i++)
        if (g->block[i].high <= low || g->block[i].low >= low + size)
            g->block[kept++] = g->block[i];
    g->blocks = kept;
}

static const struct freed *grave_of(const struct graveyard *g, uint64_t address, unsigned size)
{
    for (size_t i = 0; i < g->blocks; i++)
        if (address < g->block[i].high && address + size > g->block[i].low)
            return &g->block[i];
    return NULL;
}

/* A plain access or an atomic: its bytes. A use of a lock or the like: where that is. */
static const struct freed *touches_grave(const struct graveyard *g, const struct hd_trace *t, const struct hd_event *e)
{
    if (e->kind == HD_READ || e->kind == HD_WRITE || hd_kind_is_atomic(e->kind))
        return grave_of(g, e->address, e->size);
    if (e->object < t->objects && (hd_kind_uses_object(e->kind) || e->kind == HD_BLOCKED))
        return grave_of(g, t->object[e->object].address, 1);
    return NULL;
}

static char *place_of(struct hd_symbols *s, const struct hd_trace *t, const struct hd_event *e)
{
    const struct hd_place *p = e->site < t->sites ? hd_symbols_place(s, e->site) : NULL;
    return p && *p->file ? hd_format("%s:%" PRIu32, p->file, p->line) : hd_strdup("?");
}

static char *grave_words(const struct hd_trace *t, const struct hd_event *e, const struct freed *grave)
{
    struct hd_symbols *s = hd_symbols_new(t);
    char *at = place_of(s, t, e), *freed_at = place_of(s, t, &t->event[grave->position]);
    bool access = e->object == HD_NO_INDEX;
    const char *verb = !access ? "uses" : e->kind == HD_READ ? "reads" : "writes";
    const char *call = access ? "" : hd_kind_word(e->kind == HD_BLOCKED ? (unsigned)e->value : e->kind);
    char *words = hd_format("use after free: %s %s memory (%s%s%s) that %s freed (%s)", t->thread[e->thread].path, verb,
                            call, access ? "" : ", ", at, t->thread[t->event[grave->position].thread].path, freed_at);
    free(at);
    free(freed_at);
    hd_symbols_free(s);
    return words;
}

char *hd_use_after_free(const struct hd_trace *t)
{
    struct graveyard g = { 0 };
    char *words = NULL;
    for (size_t i = 0; i < t->events && !words; i++) {
        const struct hd_event *e = &t->event[i];
        const struct freed *grave;
        if (e->kind == HD_FREE)
            bury(&g, e, i);
        else if (e->kind == HD_ALLOC)
            reuse(&g, e->address, e->value ? e->value : 1);
        else if (g.blocks && (grave = touches_grave(&g, t, e)))
            words = grave_words(t, e, grave);
    }
    free(g.block);
    return words;
}
