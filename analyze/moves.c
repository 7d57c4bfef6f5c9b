// SPDX-License-Identifier: Apache-2.0
// What an item needs in a state, and what it does to it.
#include <string.h>

#include "analyze/search.h"
#include "proto/memory.h"

static uint32_t *signals(const struct hd_search *s)
{
    return s->now + s->threads;
}

static uint32_t *contents(const struct hd_search *s)
{
    return s->now + 2 * (size_t)s->threads;
}

const struct hd_item *hd_move_next(const struct hd_search *s, uint32_t t)
{
    return s->now[t] >= s->cone->limit[t] ? NULL : &s->x->item[hd_item_at(s->x, t, s->now[t])];
}

static bool others_hold(const struct hd_search *s, uint32_t thread, uint32_t lock, bool shared)
{
    const struct hd_index *x = s->x;
    for (uint32_t u = 0; u < s->threads; u++) {
        uint32_t h = u == thread ? HD_NO_INDEX : hd_index_find_held(x, hd_index_held(x, u, s->now[u]), lock);
        if (h != HD_NO_INDEX && hd_excludes(x->held[h].shared, shared))
            return true;
    }
    return false;
}

static uint64_t done_of(const struct hd_search *s, const struct hd_tracks *tracks, uint32_t object)
{
    uint64_t n = 0;
    for (uint32_t k = tracks->first[object]; k < tracks->first[object + 1]; k++)
        n += hd_track_count(tracks, &tracks->track[k], s->now[tracks->track[k].thread]);
    return n;
}

static bool semaphore_is_zero(const struct hd_search *s, uint32_t object)
{
    return s->x->initial[object] + done_of(s, &s->x->posts, object) <= done_of(s, &s->x->passes, object);
}

static bool needs_done(const struct hd_search *s, const struct hd_item *it, uint32_t end)
{
    for (uint32_t n = it->need; n < end; n++) {
        const struct hd_item *on = &s->x->item[s->x->need[n]];
        if (s->now[on->thread] <= on->index)
            return false;
    }
    return true;
}

static bool reads_right(const struct hd_search *s, const struct hd_item *it)
{
    for (uint32_t k = 0; it->reads && k < it->cells; k++)
        if (contents(s)[s->slot[it->cell + k]] >> 1 != s->x->token[it->slot + k])
            return false;
    return true;
}

bool hd_move_enabled(const struct hd_search *s, const struct hd_item *it)
{
    if (!needs_done(s, it, it[1].need))
        return false;
    switch (it->class) {
    case HD_ACCESS: return reads_right(s, it);
    case HD_TAKE: return !others_hold(s, it->thread, it->object, it->shared);
    case HD_REFUSED: return others_hold(s, it->thread, it->object, it->shared);
    case HD_PASSES: return !semaphore_is_zero(s, it->object);
    case HD_EMPTY: return semaphore_is_zero(s, it->object);
    case HD_WOKEN: return it->all || signals(s)[it->thread];
    case HD_STILL: return s->now[s->x->item[it->object].thread] <= s->x->item[it->object].index;
    default: return true;
    }
}

/* Does another thread still have one of these to do? */
static bool pending(const struct hd_search *s, const struct hd_tracks *tracks, const struct hd_item *it)
{
    for (uint32_t k = tracks->first[it->object]; k < tracks->first[it->object + 1]; k++) {
        const struct hd_track *t = &tracks->track[k];
        if (t->thread != it->thread && hd_track_count(tracks, t, s->cone->limit[t->thread]) >
                                           hd_track_count(tracks, t, s->now[t->thread]))
            return true;
    }
    return false;
}

static bool others_before(const struct hd_search *s, const uint32_t *end, uint32_t thread)
{
    for (uint32_t u = 0; u < s->threads; u++)
        if (u != thread && s->now[u] < end[u])
            return true;
    return false;
}

static bool write_is_eager(const struct hd_search *s, const struct hd_item *it)
{
    for (uint32_t k = 0; k < it->cells; k++) {
        uint32_t slot = s->slot[it->cell + k];
        if (slot == HD_NO_INDEX)
            continue;
        const uint32_t *r = s->read_end + (size_t)slot * s->threads, *w = s->write_end + (size_t)slot * s->threads;
        if (s->goal[slot] || others_before(s, r, it->thread))
            return false;
        if (s->now[it->thread] < r[it->thread] && others_before(s, w, it->thread))
            return false;
    }
    return true;
}

static bool leave_is_eager(const struct hd_search *s, const struct hd_item *it)
{
    return it->partner == HD_NO_INDEX || !pending(s, &s->x->refused, &s->x->item[it->partner]);
}

/* Who is to be stuck may need others to be early, late, or in its place. */
static bool eager(const struct hd_search *s, const struct hd_item *it)
{
    const struct hd_index *x = s->x;
    switch (it->class) {
    case HD_ACCESS: return !it->writes || write_is_eager(s, it);
    case HD_TAKE: return !pending(s, &x->takes, it) && !pending(s, &x->refused, it);
    case HD_LEAVE: return leave_is_eager(s, it);
    case HD_WAITS: return !s->q->stuck && leave_is_eager(s, it);
    case HD_POSTS: return !s->q->stuck && !pending(s, &x->empties, it);
    case HD_PASSES: return !pending(s, &x->passes, it) && !pending(s, &x->empties, it);
    case HD_SIGNALS: return !s->q->stuck && !pending(s, &x->waits, it);
    case HD_WOKEN: return !s->q->stuck && (it->all || !pending(s, &x->wakes, it));
    case HD_ENDS: return !x->has_still;
    default: return true;
    }
}

/* The condition that the thread waits on now, or HD_NO_INDEX. */
static uint32_t waits_on(const struct hd_search *s, uint32_t thread)
{
    uint32_t done = s->now[thread], count = s->x->thread[thread].count;
    if (!count)
        return HD_NO_INDEX;
    const struct hd_item *it = &s->x->item[hd_item_at(s->x, thread, done < count ? done : count - 1)];
    return it->class == (done < count ? HD_WOKEN : HD_WAITS) ? it->object : HD_NO_INDEX;
}

static void give_signal(struct hd_search *s, const struct hd_item *it)
{
    for (uint32_t u = 0; u < s->threads; u++)
        if (u != it->thread && waits_on(s, u) == it->object) {
            if (it->all)
                signals(s)[u] |= 1;
            else if (signals(s)[u] >> 1 < s->threads)
                signals(s)[u] += 2;
        }
}

static void use_signal(struct hd_search *s, const struct hd_item *it)
{
    uint32_t mine = signals(s)[it->thread];
    for (uint32_t u = 0; !(mine & 1) && !it->all && u < s->threads; u++)
        if (waits_on(s, u) == it->object && signals(s)[u] >> 1 >= mine >> 1)
            signals(s)[u] -= 2;
    signals(s)[it->thread] = 0;
}

static void execute(struct hd_search *s, const struct hd_item *it)
{
    bool challenger = s->q->challenger != HD_NO_INDEX && it == &s->x->item[s->q->challenger];
    for (uint32_t k = 0; it->writes && k < it->cells; k++) {
        uint32_t slot = s->slot[it->cell + k], written = it->slot + (it->reads ? it->cells : 0) + k;
        if (slot != HD_NO_INDEX)
            contents(s)[slot] = s->x->token[written] << 1 | (s->goal[slot] && challenger);
    }
    if (it->class == HD_SIGNALS)
        give_signal(s, it);
    else if (it->class == HD_WOKEN)
        use_signal(s, it);
    s->now[it->thread]++;
    if (s->log) {
        HD_GROW(s->log->order, s->log->count, s->log_room);
        s->log->order[s->log->count++] = it->position;
    }
}

static bool flagged(const struct hd_search *s)
{
    for (uint32_t i = 0; i < s->slots; i++)
        if (s->goal[i] && (contents(s)[i] & 1))
            return true;
    return false;
}

/* Can the signals that a waiting thread has seen all have gone to others, who wait with it and are not asked
 * about? The k-th latest may go to whoever has seen k. */
static bool unwoken(const struct hd_search *s, const struct hd_item *it)
{
    uint32_t mine = signals(s)[it->thread];
    for (uint32_t k = 1; k <= mine >> 1; k++) {
        uint32_t takers = 0;
        for (uint32_t u = 0; u < s->threads; u++)
            takers += u != it->thread && s->cone->frontier[u] == HD_NO_INDEX && waits_on(s, u) == it->object &&
                      !(signals(s)[u] & 1) && signals(s)[u] >> 1 >= k;
        if (takers < (mine >> 1) - k + 1)
            return false;
    }
    return !(mine & 1) && !it->all;
}

/* A reader waits behind a writer who stands at the lock and has to wait. */
static bool is_behind(const struct hd_search *s, const struct hd_item *reader)
{
    const struct hd_event *e = &s->x->trace->event[reader->position];
    for (uint32_t f = 0; e->kind == HD_RDLOCK && e->value && f < s->q->frontiers; f++) {
        const struct hd_item *it = &s->x->item[s->q->frontier[f]];
        if (it->class == HD_TAKE && !it->shared && it->object == reader->object && it->thread != reader->thread &&
            !hd_move_enabled(s, it))
            return true;
    }
    return false;
}

static bool is_stuck(const struct hd_search *s, const struct hd_item *it)
{
    return it->class == HD_WOKEN ? unwoken(s, it) : !hd_move_enabled(s, it) || is_behind(s, it);
}

bool hd_move_reached(const struct hd_search *s)
{
    for (uint32_t t = 0; t < s->threads; t++)
        if (s->cone->frontier[t] != HD_NO_INDEX && s->now[t] != s->cone->frontier[t])
            return false;
    if (s->q->include != HD_NO_INDEX) {
        const struct hd_item *it = &s->x->item[s->q->include];
        if (s->now[it->thread] <= it->index)
            return false;
    }
    for (uint32_t i = 0; i < s->q->alsos; i++)
        if (s->now[s->x->item[s->q->also[i]].thread] <= s->x->item[s->q->also[i]].index)
            return false;
    for (uint32_t f = 0; f < s->q->frontiers; f++) {
        const struct hd_item *it = &s->x->item[s->q->frontier[f]];
        if (s->q->stuck && !is_stuck(s, it))
            return false;
        if (!needs_done(s, it, hd_frontier_needs(s->x, it)))
            return false;
    }
    return s->q->freed == HD_NO_INDEX || flagged(s);
}

bool hd_move_dead(const struct hd_search *s)
{
    if (s->q->freed == HD_NO_INDEX || flagged(s))
        return false;
    if (s->q->challenger == HD_NO_INDEX)
        return true;
    const struct hd_item *c = &s->x->item[s->q->challenger];
    return s->now[c->thread] > c->index;
}

static bool run_eager(struct hd_search *s, uint32_t t)
{
    bool moved = false;
    const struct hd_item *it;
    while ((it = hd_move_next(s, t)) && eager(s, it) && hd_move_enabled(s, it)) {
        if (s->minimal && hd_move_reached(s))
            break;
        execute(s, it);
        moved = true;
    }
    return moved;
}

static void forget_unread(struct hd_search *s)
{
    for (uint32_t i = 0; i < s->slots; i++)
        if (!others_before(s, s->read_end + (size_t)i * s->threads, HD_NO_INDEX))
            contents(s)[i] &= 1;
}

void hd_move(struct hd_search *s, uint32_t t)
{
    if (t != HD_NO_INDEX)
        execute(s, hd_move_next(s, t));
    if (s->minimal && t != HD_NO_INDEX) {
        run_eager(s, t);
        s->now[s->words - 1] = t;
    }
    bool moved = !s->minimal;
    while (moved) {
        moved = false;
        for (uint32_t u = 0; u < s->threads; u++)
            moved |= run_eager(s, u);
    }
    forget_unread(s);
}

void hd_move_start(struct hd_search *s)
{
    memset(s->now, 0, s->words * sizeof *s->now);
    for (uint32_t i = 0; i < s->slots; i++)
        contents(s)[i] = s->x->cell[s->cell[i]].initial << 1 |
                         (s->goal[i] && s->q->challenger == HD_NO_INDEX);
    s->now[s->words - 1] = s->threads;
    hd_move(s, HD_NO_INDEX);
}
