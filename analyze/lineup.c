// SPDX-License-Identifier: Apache-2.0
// The greedy line-up: below the cut as in the trace, then always the first item in
// trace order that may go. A thread whose item may not is left behind and asked
// again after each step. Every rule of a correct reordering is tested here.
#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "proto/memory.h"

enum { SKIPS = 8 };

/* An open section that another one follows in the trace: the cut is before it. */
static void cut_open(struct hd_engine *e, uint32_t thread)
{
    const struct hd_index *x = e->x;
    for (uint32_t h = hd_index_held(x, thread, e->ideal[thread]); h != HD_NO_INDEX; h = x->held[h].below) {
        uint32_t lock = x->held[h].lock, take = x->held[h].take;
        if (take >= e->cut)
            continue;
        for (uint32_t n = x->takes.first[lock]; n < x->takes.first[lock + 1]; n++) {
            const struct hd_track *t = &x->takes.track[n];
            if (t->thread == thread)
                continue;
            uint32_t other = hd_engine_last_take(e, t, e->ideal[t->thread], x->held[h].shared);
            if (other == HD_NO_INDEX || other < take)
                continue;
            uint32_t start = hd_outermost(x, take);
            e->cut = start < e->cut ? start : e->cut;
            break;
        }
    }
}

/* Nobody was left behind yet. */
static void follow_all(struct hd_engine *e)
{
    e->behinds = 0;
    memset(e->follows, 0xff, e->threads * sizeof *e->follows);
}

/* Which items of this thread have the next one of thread `behind`, that was left there, before them? */
static void follow_less(struct hd_engine *e, uint32_t thread, uint32_t behind)
{
    uint32_t first = thread == behind ? HD_NO_INDEX : hd_clock_first(e->x, e->must, thread, behind, e->next[behind]);
    e->follows[thread] = first < e->follows[thread] ? first : e->follows[thread];
}

static void leave_behind(struct hd_engine *e, uint32_t thread, const struct hd_choice *why)
{
    e->behind[e->behinds++] = (struct hd_behind){thread, why->thread, why->until};
    for (uint32_t u = 0; u < e->threads; u++)
        follow_less(e, u, thread);
}

static void begin(struct hd_engine *e)
{
    const struct hd_index *x = e->x;
    if (e->by_value)
        e->cut = hd_sources_cut(e);
    for (uint32_t u = 0; u < e->threads; u++)
        cut_open(e, u);
    for (uint32_t u = 0; u < e->threads; u++) {
        uint32_t low = 0, high = e->ideal[u];
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (x->thread[u].item[mid] < e->cut)
                low = mid + 1;
            else
                high = mid;
        }
        e->next[u] = low;
    }
    e->line_stamp++;
    follow_all(e);
    e->line.items = 0;
    e->standing.read = HD_NO_INDEX;
    for (uint32_t u = 0; u < e->threads; u++)
        for (uint32_t h = hd_index_held(x, u, e->ideal[u]); h != HD_NO_INDEX; h = x->held[h].below)
            e->lock_disturbed[x->held[h].lock] = e->line_stamp;
}

/* An item stays behind: what it is about is from now on not as in the trace. */
static void disturb(struct hd_engine *e, const struct hd_item *it)
{
    for (uint32_t c = it->cell; it->class == HD_ACCESS && c < it->cell + it->cells; c++)
        e->cell_disturbed[c] = e->line_stamp;
    if (it->class == HD_TAKE)
        e->lock_disturbed[it->object] = e->line_stamp;
    else if ((it->class == HD_LEAVE || it->class == HD_WAITS) && it->partner != HD_NO_INDEX)
        e->lock_disturbed[e->x->item[it->partner].object] = e->line_stamp;
}

static bool done(const struct hd_engine *e, uint32_t item)
{
    return e->x->item[item].index < e->next[e->x->item[item].thread];
}

static uint32_t *writer_of(struct hd_engine *e, uint32_t cell)
{
    if (e->cell_stamp[cell] != e->line_stamp) {
        e->cell_stamp[cell] = e->line_stamp;
        e->cell_writer[cell] = hd_engine_last_write(e, e->next, cell);
    }
    return &e->cell_writer[cell];
}

static void look_up_lock(struct hd_engine *e, uint32_t lock)
{
    const struct hd_index *x = e->x;
    if (e->lock_stamp[lock] == e->line_stamp)
        return;
    e->lock_stamp[lock] = e->line_stamp;
    e->lock_owned[lock] = false;
    e->lock_sharers[lock] = 0;
    for (uint32_t n = x->takes.first[lock]; n < x->takes.first[lock + 1]; n++) {
        uint32_t u = x->takes.track[n].thread;
        uint32_t h = hd_index_find_held(x, hd_index_held(x, u, e->next[u]), lock);
        if (h == HD_NO_INDEX)
            continue;
        e->lock_owned[lock] |= !x->held[h].shared;
        e->lock_sharers[lock] += x->held[h].shared;
    }
}

/* The section that keeps this acquire waiting, or HD_NO_INDEX. */
static uint32_t blocking_section(struct hd_engine *e, const struct hd_item *it)
{
    const struct hd_index *x = e->x;
    look_up_lock(e, it->object);
    if (!e->lock_owned[it->object] && (it->shared || !e->lock_sharers[it->object]))
        return HD_NO_INDEX;
    for (uint32_t n = x->takes.first[it->object]; n < x->takes.first[it->object + 1]; n++) {
        uint32_t u = x->takes.track[n].thread;
        uint32_t h = hd_index_find_held(x, hd_index_held(x, u, e->next[u]), it->object);
        if (u != it->thread && h != HD_NO_INDEX)
            return x->held[h].take;
    }
    return HD_NO_INDEX;
}

/* A read of the cell's contents that is still to come, other than by the item itself, and that no other write serves. */
static uint32_t pending_reader(struct hd_engine *e, uint32_t item, uint32_t cell)
{
    const struct hd_index *x = e->x;
    const struct hd_tracks *readers = hd_engine_readers(e);
    uint32_t v = *writer_of(e, cell), slot = v == HD_NO_INDEX ? x->slots + cell : hd_write_slot(x, v, cell);
    for (uint32_t n = readers->first[slot]; n < readers->first[slot + 1]; n++) {
        const struct hd_track *t = &readers->track[n];
        uint32_t at = t->from + hd_track_count(readers, t, e->next[t->thread]);
        if (at < t->to && readers->at[at] < e->ideal[t->thread] &&
            hd_item_at(x, t->thread, readers->at[at]) != item)
            return hd_item_at(x, t->thread, readers->at[at]);
    }
    for (uint32_t i = 0; i < e->chosens; i++) {
        const struct hd_chosen *c = &e->chosen[i];
        if (c->cell == cell && c->write == v && c->read != item && !done(e, c->read))
            return c->read;
    }
    return HD_NO_INDEX;
}

/* Another write of the freed read's cell that the challenger has to wait for, or HD_NO_INDEX. */
static uint32_t before_challenger(struct hd_engine *e)
{
    const struct hd_index *x = e->x;
    for (uint32_t n = x->writes.first[e->cell]; n < x->writes.first[e->cell + 1]; n++) {
        const struct hd_track *t = &x->writes.track[n];
        uint32_t count = hd_track_count(&x->writes, t, e->ideal[t->thread]);
        if (!count)
            continue;
        uint32_t last = hd_item_at(x, t->thread, x->writes.at[t->from + count - 1]);
        if (last != e->q->challenger && !done(e, last))
            return last;
    }
    return HD_NO_INDEX;
}

/* Not before that item is done; HD_NO_INDEX: not any more. */
static bool wait_for(const struct hd_engine *e, uint32_t item, struct hd_choice *why)
{
    bool never = item == HD_NO_INDEX;
    why->thread = never ? 0 : e->x->item[item].thread;
    why->until = never ? UINT32_MAX : e->x->item[item].index + 1;
    return false;
}

/* By the must-clock. Others than those left behind are as far as the trace was. */
static bool must_done(struct hd_engine *e, uint32_t item, struct hd_choice *why)
{
    const struct hd_item *it = &e->x->item[item];
    const uint32_t *must = hd_clock_row(e->x, e->must, item);
    for (uint32_t i = 0; i < e->behinds; i++) {
        why->thread = e->behind[i].thread;
        why->until = must[why->thread];
        if (why->until > e->next[why->thread])
            return false;
    }
    e->follows[it->thread] = HD_NO_INDEX;
    for (uint32_t i = 0; i < e->behinds; i++)
        follow_less(e, it->thread, e->behind[i].thread);
    return true;
}

static bool clock_done(struct hd_engine *e, uint32_t item, struct hd_choice *why)
{
    const struct hd_item *it = &e->x->item[item];
    if (it->index >= e->follows[it->thread] && !must_done(e, item, why))
        return false;
    const uint32_t *mark = hd_mark_at(e, it->thread, it->index);
    for (uint32_t u = 0; mark && u < e->threads; u++) {
        why->thread = u;
        why->until = mark[u];
        if (why->until > e->next[u])
            return false;
    }
    return true;
}

/* Is the cell, so far, as it was in the trace? */
static bool undisturbed(const struct hd_engine *e, uint32_t cell)
{
    return !e->by_value && !e->going_on && e->cell_disturbed[cell] != e->line_stamp;
}

static bool access_may_go(struct hd_engine *e, uint32_t item, struct hd_choice *why)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[item];
    for (uint32_t c = it->cell; c < it->cell + it->cells; c++) {
        if (undisturbed(e, c))
            continue;
        uint32_t now = *writer_of(e, c);
        if (it->reads && !hd_source_serves(e, item, c, now)) {
            uint32_t v = hd_source_of(e, item, c);
            bool over = v == HD_NO_INDEX || (v != HD_LOOSE && done(e, v));
            *why = (struct hd_choice){{item, now}, {now, v}, now != HD_NO_INDEX && over, 0, 0, false, item, c};
            why->loose = v == HD_LOOSE;
            why->known |= why->loose;
            if (why->loose)
                return false;
            return wait_for(e, over ? HD_NO_INDEX : v, why);
        }
        uint32_t q = it->writes ? pending_reader(e, item, c) : HD_NO_INDEX;
        if (q != HD_NO_INDEX) {
            *why = (struct hd_choice){{q, item}, {item, now}, true, 0, 0, false, 0, 0};
            return wait_for(e, q, why);
        }
    }
    if (item != e->q->challenger || e->q->freed == HD_NO_INDEX)
        return true;
    uint32_t first = before_challenger(e);
    return first == HD_NO_INDEX || wait_for(e, first, why);
}

/* Its signal may have been lined up when nobody was there to be woken. */
static bool may_wait(const struct hd_engine *e, uint32_t item)
{
    uint32_t condition = e->x->item[item].object, wake = e->x->wake[condition];
    return wake == HD_NO_INDEX || !hd_in_ideal(e, wake) || !done(e, e->x->signal[condition]);
}

/* May the item go now? Where a choice of two orders keeps it, *why tells. */
static bool may_go(struct hd_engine *e, uint32_t item, struct hd_choice *why)
{
    const struct hd_index *x = e->x;
    const struct hd_item *it = &x->item[item];
    why->known = why->loose = false;
    if (!clock_done(e, item, why))
        return false;
    if (it->class == HD_ACCESS)
        return access_may_go(e, item, why);
    if (it->class == HD_TAKE && (e->going_on || e->lock_disturbed[it->object] == e->line_stamp)) {
        uint32_t other = blocking_section(e, it);
        if (other == HD_NO_INDEX)
            return true;
        *why = (struct hd_choice){{x->item[other].partner, it->partner}, {item, other}, true, 0, 0, false, 0, 0};
        return wait_for(e, x->item[other].partner, why);
    }
    if (it->class == HD_SIGNALS) {
        uint32_t wake = x->wake[it->object];
        if (wake != HD_NO_INDEX && hd_in_ideal(e, wake) && !done(e, x->item[wake].partner))
            return wait_for(e, x->item[wake].partner, why);
    }
    return it->class != HD_WAITS || !e->going_on || may_wait(e, item);
}

/* The section begins or ends, of a lock that was looked up. */
static void note_lock(struct hd_engine *e, const struct hd_item *take, bool begins)
{
    uint32_t lock = take->object;
    if (e->lock_stamp[lock] != e->line_stamp)
        return;
    if (take->shared)
        e->lock_sharers[lock] += begins ? 1u : -1u;
    else
        e->lock_owned[lock] = begins;
}

static void go(struct hd_engine *e, uint32_t item)
{
    const struct hd_item *it = &e->x->item[item];
    for (uint32_t c = it->cell; it->writes && c < it->cell + it->cells; c++)
        if (!undisturbed(e, c))
            *writer_of(e, c) = item;
    if (it->class == HD_TAKE)
        note_lock(e, it, true);
    else if ((it->class == HD_LEAVE || it->class == HD_WAITS) && it->partner != HD_NO_INDEX)
        note_lock(e, &e->x->item[it->partner], false);
    e->next[it->thread]++;
    e->effort++;
    HD_GROW(e->line.item, e->line.items, e->line.room);
    e->line.item[e->line.items++] = item;
}

/* A thread left behind goes on while it can, up to the cursor. */
static bool advance(struct hd_engine *e, struct hd_behind *b, uint32_t cursor)
{
    struct hd_choice why;
    uint32_t u = b->thread, from = e->next[u];
    while (e->next[u] < e->ideal[u]) {
        uint32_t item = hd_item_at(e->x, u, e->next[u]);
        if (item > cursor)
            break;
        if (!may_go(e, item, &why)) {
            b->until_thread = why.thread;
            b->until = why.until;
            break;
        }
        go(e, item);
    }
    return e->next[u] > from;
}

/* Does this thread, left behind, wait for itself in the end, or for what will never come? What each waits for has to
 * come first, so then the line-up is stuck, however much of it is left. */
static bool in_circle(const struct hd_engine *e, uint32_t at)
{
    for (uint32_t steps = 0; steps <= e->behinds; steps++) {
        const struct hd_behind *b = &e->behind[at];
        if (b->until == UINT32_MAX)
            return true;
        if (e->next[b->until_thread] >= b->until)
            return false;
        for (at = 0; at < e->behinds && e->behind[at].thread != b->until_thread; at++)
            ;
        if (at == e->behinds)
            return false;
    }
    return true;
}

/* False: one of them waits in a circle now. */
static bool catch_up(struct hd_engine *e, uint32_t cursor)
{
    bool moved = true;
    while (moved && e->behinds) {
        moved = false;
        for (uint32_t i = 0; i < e->behinds && !moved; i++) {
            struct hd_behind *b = &e->behind[i];
            if (e->next[b->until_thread] < b->until)
                continue;
            uint32_t u = b->thread;
            moved = advance(e, b, cursor);
            if (e->next[u] >= e->ideal[u] || hd_item_at(e->x, u, e->next[u]) > cursor) {
                memmove(b, b + 1, (e->behinds - i - 1) * sizeof *b);
                e->behinds--;
            } else if (in_circle(e, i))
                return false;
        }
    }
    return true;
}

/* The first item from that one on that is in the ideal and not done, or `end`. */
static uint32_t first_left(const struct hd_engine *e, uint32_t item, uint32_t end)
{
    for (uint32_t u = 0; u < e->threads; u++) {
        const uint32_t *list = e->x->thread[u].item;
        uint32_t low = e->next[u], high = e->ideal[u];
        while (low < high && list[low] < item) {
            uint32_t mid = low + (high - low) / 2;
            if (list[mid] < item)
                low = mid + 1;
            else
                high = mid;
        }
        if (low < e->ideal[u] && list[low] < end)
            end = list[low];
    }
    return end;
}

/* Goes through the ideal from the cut on, while it is not stuck. */
static void go_through(struct hd_engine *e, uint32_t end)
{
    const struct hd_index *x = e->x;
    struct hd_choice why;
    uint32_t skipped = 0;
    for (uint32_t i = e->cut; i < end; i++) {
        const struct hd_item *it = &x->item[i];
        if (it->index < e->next[it->thread] || it->index >= e->ideal[it->thread]) {
            i = ++skipped % SKIPS ? i : first_left(e, i + 1, end) - 1;
            continue;
        }
        skipped = 0;
        if (it->index > e->next[it->thread]) {
            disturb(e, it);
            continue;
        }
        if (!may_go(e, i, &why)) {
            disturb(e, it);
            leave_behind(e, it->thread, &why);
            if (in_circle(e, e->behinds - 1))
                return;
            continue;
        }
        go(e, i);
        if (e->behinds && !catch_up(e, i))
            return;
    }
    catch_up(e, end);
}

uint32_t hd_lineup_behind(struct hd_engine *e, uint32_t n, struct hd_choice *why)
{
    uint32_t item = hd_item_at(e->x, e->behind[n].thread, e->next[e->behind[n].thread]);
    if (may_go(e, item, why))
        why->until = 0;
    return item;
}

static bool is_lone(const struct hd_query *q)
{
    return q->frontiers == 1 && q->freed == q->frontier[0] && q->challenger != HD_NO_INDEX &&
           q->include == HD_NO_INDEX && q->exclude == HD_NO_INDEX && !q->alsos && !q->stuck;
}

static enum hd_lineup fits(struct hd_engine *e)
{
    e->standing = (struct hd_standing){is_lone(e->q) ? e->q->freed : HD_NO_INDEX, e->cell};
    e->said = &e->line;
    return HD_FITS;
}

static bool can_go_on(const struct hd_engine *e)
{
    const struct hd_standing *s = &e->standing;
    if (e->by_value || s->read != e->q->freed || s->cell != e->cell || !is_lone(e->q) || done(e, e->q->challenger))
        return false;
    for (uint32_t u = 0; u < e->threads; u++)
        if (e->ideal[u] < e->next[u])
            return false;
    return true;
}

/* What is there more now goes behind, in trace order. If it does not, nothing stands any more. */
bool hd_lineup_go_on(struct hd_engine *e)
{
    struct hd_choice why;
    if (!can_go_on(e))
        return false;
    hd_marks_reset(e);
    follow_all(e);
    e->going_on = true;
    uint32_t item = first_left(e, 0, HD_NO_INDEX);
    while (item != HD_NO_INDEX && may_go(e, item, &why)) {
        go(e, item);
        item = first_left(e, 0, HD_NO_INDEX);
    }
    e->going_on = false;
    e->standing.read = HD_NO_INDEX;
    return item == HD_NO_INDEX && fits(e) == HD_FITS;
}

enum hd_lineup hd_lineup(struct hd_engine *e, struct hd_choice *choice)
{
    uint32_t end = 0;
    begin(e);
    for (uint32_t u = 0; u < e->threads; u++)
        if (e->next[u] < e->ideal[u]) {
            uint32_t last = hd_item_at(e->x, u, e->ideal[u] - 1) + 1;
            end = last > end ? last : end;
        }
    go_through(e, end);
    if (!e->behinds) {
        e->line.cut = e->cut;
        memcpy(e->line.part, e->ideal, e->threads * sizeof *e->line.part);
        return fits(e);
    }
    choice->known = false;
    for (uint32_t i = 0; i < e->behinds && !choice->known; i++)
        hd_lineup_behind(e, i, choice);
    return HD_STUCK;
}
