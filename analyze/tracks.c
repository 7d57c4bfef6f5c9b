// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "analyze/index.h"
#include "proto/memory.h"

struct entry { uint32_t object, thread, at; };

struct gathering { struct entry *entry; size_t count; };

/* Entries come thread by thread and in order, so a stable sort by object groups them into tracks. */
static void arrange(struct hd_tracks *s, uint32_t objects, const struct gathering *g)
{
    uint32_t *to = hd_alloc(((size_t)objects + 2) * sizeof *to), tracks = 0;
    uint32_t *thread = hd_alloc((g->count + 1) * sizeof *thread);
    for (size_t i = 0; i < g->count; i++)
        to[g->entry[i].object + 2]++;
    for (uint32_t o = 0; o <= objects; o++)
        to[o + 1] += to[o];
    s->at = hd_alloc((g->count + 1) * sizeof *s->at);
    for (size_t i = 0; i < g->count; i++) {
        uint32_t slot = to[g->entry[i].object + 1]++;
        s->at[slot] = g->entry[i].at;
        thread[slot] = g->entry[i].thread;
    }
    s->first = hd_alloc(((size_t)objects + 1) * sizeof *s->first);
    for (uint32_t o = 0; o < objects; o++) {
        for (uint32_t i = to[o]; i < to[o + 1]; i++)
            tracks += i == to[o] || thread[i] != thread[i - 1];
        s->first[o + 1] = tracks;
    }
    s->track = hd_alloc(((size_t)tracks + 1) * sizeof *s->track);
    tracks = 0;
    for (uint32_t o = 0; o < objects; o++)
        for (uint32_t i = to[o]; i < to[o + 1]; i++) {
            if (i == to[o] || thread[i] != thread[i - 1])
                s->track[tracks++] = (struct hd_track){thread[i], i, i};
            s->track[tracks - 1].to = i + 1;
        }
    free(thread);
    free(to);
}

static uint32_t object_of(const struct hd_index *x, const struct hd_item *it, uint32_t k, bool readers)
{
    if (!readers)
        return it->cells ? it->cell + k : it->object;
    uint32_t w = x->writer[it->slot + k];
    return w == HD_NO_INDEX ? x->slots + it->cell + k : hd_write_slot(x, w, it->cell + k);
}

static void build(const struct hd_index *x, struct hd_tracks *s, uint32_t objects,
                  bool (*wanted)(const struct hd_item *), bool readers, bool sure)
{
    struct gathering g = {0};
    for (uint32_t i = 0; i < x->items; i++)
        if (wanted(&x->item[i]))
            g.count += x->item[i].cells ? x->item[i].cells : 1;
    g.entry = hd_alloc((g.count + 1) * sizeof *g.entry);
    g.count = 0;
    for (uint32_t t = 0; t < x->threads; t++)
        for (uint32_t n = 0; n < x->thread[t].count; n++) {
            const struct hd_item *it = &x->item[x->thread[t].item[n]];
            for (uint32_t k = 0; wanted(it) && (k < it->cells || k == 0); k++)
                if (!sure || !x->loose[it->slot + k])
                    g.entry[g.count++] = (struct entry){object_of(x, it, k, readers), t, n};
        }
    arrange(s, objects, &g);
    free(g.entry);
}

void hd_tracks_build(const struct hd_index *x, struct hd_tracks *s, uint32_t objects,
                     bool (*wanted)(const struct hd_item *))
{
    build(x, s, objects, wanted, false, false);
}

static bool is_read(const struct hd_item *it)
{
    return it->reads;
}

void hd_tracks_readers(const struct hd_index *x, struct hd_tracks *s, bool sure)
{
    build(x, s, x->slots + x->cells, is_read, true, sure);
}

void hd_tracks_free(struct hd_tracks *s)
{
    free(s->first);
    free(s->track);
    free(s->at);
}
