// SPDX-License-Identifier: Apache-2.0
// Which write a read sees, where it keeps its value only. A read that one write alone can serve is sure, and rules R1
// and R2 are good for it. The others are loose: nothing is said of them until the line-up gets stuck at one; then
// each write that may serve it is tried in turn (a choice of stage 3), the recorded one first.
#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "proto/memory.h"

enum { LOOKED_AT = 64, TRIED = 48 };

/* ------------------------------------------------------------ once a trace */

/* Does the thread's own last write before the read come after write s, or the initial contents? */
static bool behind_own(const struct hd_index *x, uint32_t own, uint32_t s)
{
    if (own == HD_NO_INDEX || own == s)
        return false;
    return s == HD_NO_INDEX || hd_clock(x, hd_must(x), own, x->item[s].thread) > x->item[s].index;
}

static uint32_t own_write(const struct hd_index *x, uint32_t read, uint32_t cell)
{
    const struct hd_item *it = &x->item[read];
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t count = t->thread == it->thread ? hd_track_count(&x->writes, t, it->index) : 0;
        if (count)
            return hd_item_at(x, t->thread, x->writes.at[t->from + count - 1]);
    }
    return HD_NO_INDEX;
}

/* Can some other write than the recorded one serve it? Where none can, the must-clock knows, as the ideal relies on that. */
static bool is_loose(const struct hd_index *x, uint32_t read, uint32_t cell)
{
    const struct hd_item *it = &x->item[read];
    uint32_t slot = hd_read_slot(x, read, cell), token = x->token[slot], writer = x->writer[slot];
    uint32_t own = own_write(x, read, cell);
    if (writer != HD_NO_INDEX && x->cell[cell].initial == token && !behind_own(x, own, HD_NO_INDEX))
        return true;
    if (writer != HD_NO_INDEX && hd_clock(x, hd_must(x), read, x->item[writer].thread) <= x->item[writer].index)
        return true;
    if (x->token_first[token + 1] - x->token_first[token] > LOOKED_AT)
        return true;
    for (uint32_t n = x->token_first[token]; n < x->token_first[token + 1]; n++) {
        uint32_t s = x->token_write[n];
        if (s == writer || s == read || hd_clock(x, hd_must(x), s, it->thread) > it->index || behind_own(x, own, s))
            continue;
        return true;
    }
    return false;
}

void hd_sources_find(struct hd_index *x)
{
    uint32_t room = 0;
    x->loose = hd_alloc((size_t)x->slots + 1);
    for (uint32_t i = 0; i < x->items; i++) {
        const struct hd_item *it = &x->item[i];
        bool any = false;
        for (uint32_t c = it->cell; it->reads && c < it->cell + it->cells; c++)
            any |= x->loose[hd_read_slot(x, i, c)] = is_loose(x, i, c);
        if (!any)
            continue;
        HD_GROW(x->loose_read, x->loose_reads, room);
        x->loose_read[x->loose_reads++] = i;
    }
    hd_tracks_readers(x, &x->sure_readers, true);
}

/* -------------------------------------------------------- once a question */

uint32_t hd_source_of(const struct hd_engine *e, uint32_t read, uint32_t cell)
{
    uint32_t slot = hd_read_slot(e->x, read, cell);
    if (!e->by_value || !e->x->loose[slot])
        return e->x->writer[slot];
    for (uint32_t i = 0; i < e->chosens; i++)
        if (e->chosen[i].read == read && e->chosen[i].cell == cell)
            return e->chosen[i].write;
    return HD_LOOSE;
}

bool hd_source_serves(const struct hd_engine *e, uint32_t read, uint32_t cell, uint32_t write)
{
    const struct hd_index *x = e->x;
    uint32_t source = hd_source_of(e, read, cell), token = x->token[hd_read_slot(x, read, cell)];
    if (source != HD_LOOSE)
        return source == write;
    return token == (write == HD_NO_INDEX ? x->cell[cell].initial : x->token[hd_write_slot(x, write, cell)]);
}

uint32_t hd_sources_cut(const struct hd_engine *e)
{
    const struct hd_index *x = e->x;
    for (uint32_t i = 0; i < x->loose_reads; i++) {
        uint32_t read = x->loose_read[i];
        const struct hd_item *it = &x->item[read];
        if (read >= e->cut)
            break;
        if (!hd_in_ideal(e, read))
            continue;
        for (uint32_t c = it->cell; c < it->cell + it->cells; c++) {
            uint32_t writer = x->writer[hd_read_slot(x, read, c)];
            if (writer != HD_NO_INDEX && !hd_in_ideal(e, writer))
                return hd_outermost(x, read);
        }
    }
    return e->cut;
}

static uint32_t last_write_below(const struct hd_engine *e, const struct hd_track *t, uint32_t bound)
{
    uint32_t count = hd_track_count(&e->x->writes, t, bound);
    return count ? hd_item_at(e->x, t->thread, e->x->writes.at[t->from + count - 1]) : HD_NO_INDEX;
}

/* R1 and R2, for a read whose write was chosen: the trace's order does not have them by itself. */
bool hd_source_rules(struct hd_engine *e, uint32_t read, uint32_t cell)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[read];
    uint32_t v = hd_source_of(e, read, cell);
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t bound = t->thread == it->thread ? it->index : hd_order_clock(e, read, t->thread);
        uint32_t y = last_write_below(e, t, bound);
        if (y != HD_NO_INDEX && y != v && (v == HD_NO_INDEX || !hd_order_add(e, y, v)))
            return false;
        y = hd_order_write_after(e, t, v);
        if (y != HD_NO_INDEX && y != read && !hd_order_add(e, read, y))
            return false;
    }
    return true;
}

bool hd_sources_before(struct hd_engine *e, uint32_t write, uint32_t cell)
{
    for (uint32_t i = 0; i < e->chosens; i++) {
        const struct hd_chosen *c = &e->chosen[i];
        const struct hd_item *v = c->write == HD_NO_INDEX ? NULL : &e->x->item[c->write];
        if (c->cell != cell || c->write == write || c->read == write ||
            (v && hd_order_clock(e, write, v->thread) <= v->index))
            continue;
        if (!hd_order_add(e, c->read, write))
            return false;
    }
    return true;
}

/* May the loose read see that write, as far as one can tell without trying? */
static bool may_see(const struct hd_engine *e, uint32_t read, uint32_t cell, uint32_t write)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[read], *w = &x->item[write];
    if (write == read || w->index >= e->cap[w->thread])
        return false;
    if (w->thread == it->thread && w->index > it->index)
        return false;
    for (uint32_t n = x->writes.first[cell]; n < x->writes.first[cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        if (t->thread != w->thread)
            continue;
        uint32_t bound = t->thread == it->thread ? it->index : hd_order_clock(e, read, t->thread);
        uint32_t last = last_write_below(e, t, bound);
        if (last != HD_NO_INDEX && x->item[last].index > w->index)
            return false;
    }
    return hd_in_ideal(e, write) ? hd_order_clock(e, write, it->thread) <= it->index
                                 : hd_clock(x, e->must, write, it->thread) <= it->index;
}

static void offer(uint32_t *list, uint32_t *count, uint32_t write)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == write)
            return;
    list[(*count)++] = write;
}

uint32_t *hd_sources_list(const struct hd_engine *e, uint32_t read, uint32_t cell, uint32_t *count, bool *complete)
{
    const struct hd_index *x = e->x;
    uint32_t slot = hd_read_slot(x, read, cell), token = x->token[slot], writer = x->writer[slot];
    uint32_t *list = hd_alloc((TRIED + 2) * sizeof *list);
    *count = 0;
    *complete = true;
    if (writer != HD_NO_INDEX && may_see(e, read, cell, writer))
        offer(list, count, writer);
    if (x->cell[cell].initial == token)
        offer(list, count, HD_NO_INDEX);
    for (int inside = 1; inside >= 0; inside--)
        for (uint32_t n = x->token_first[token]; n < x->token_first[token + 1]; n++) {
            uint32_t s = x->token_write[n];
            if (hd_in_ideal(e, s) != inside || !may_see(e, read, cell, s))
                continue;
            if (*count >= TRIED) {
                *complete = false;
                return list;
            }
            offer(list, count, s);
        }
    return list;
}

void hd_source_choose(struct hd_engine *e, uint32_t read, uint32_t cell, uint32_t write)
{
    HD_GROW(e->chosen, e->chosens, e->chosen_room);
    e->chosen[e->chosens++] = (struct hd_chosen){read, cell, write};
}
