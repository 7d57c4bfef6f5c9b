// SPDX-License-Identifier: Apache-2.0
// States and the two passes over them.
#include "analyze/search.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

enum { POLISH_STATES = 200000, POLISH_ITEMS = 4000, POLISH_WORK = 4000000 };

static size_t hash(const uint32_t *w, uint32_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ w[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static void grow_table(struct hd_search *s)
{
    free(s->table);
    s->table_size = s->table_size ? s->table_size * 4 : 1024;
    s->table = hd_realloc(NULL, s->table_size, sizeof *s->table);
    memset(s->table, 0xff, s->table_size * sizeof *s->table);
    for (size_t i = 0; i < s->states; i++) {
        size_t at = hash(s->state + i * s->words, s->words) & (s->table_size - 1);
        while (s->table[at] != HD_NO_INDEX)
            at = (at + 1) & (s->table_size - 1);
        s->table[at] = (uint32_t)i;
    }
}

/* The state `now`; *fresh where it was not known. */
static uint32_t intern(struct hd_search *s, bool *fresh)
{
    if (s->states * 2 >= s->table_size)
        grow_table(s);
    size_t at = hash(s->now, s->words) & (s->table_size - 1);
    for (; s->table[at] != HD_NO_INDEX; at = (at + 1) & (s->table_size - 1))
        if (!memcmp(s->state + (size_t)s->table[at] * s->words, s->now, s->words * sizeof *s->now)) {
            *fresh = false;
            return s->table[at];
        }
    *fresh = true;
    HD_GROW(s->record, s->states, s->record_room);
    if (s->states >= s->state_room) {
        s->state_room = s->state_room ? s->state_room * 2 : 64;
        s->state = hd_realloc(s->state, s->state_room, s->words * sizeof *s->state);
    }
    memcpy(s->state + s->states * s->words, s->now, s->words * sizeof *s->now);
    s->record[s->states] = (struct hd_record){HD_NO_INDEX, HD_NO_INDEX, 0, false};
    return s->table[at] = (uint32_t)s->states++;
}

static void load(struct hd_search *s, uint32_t id)
{
    memcpy(s->now, s->state + (size_t)id * s->words, s->words * sizeof *s->now);
}

/* Moves are deterministic, so the order is found by making them again. */
static void write_order(struct hd_search *s, uint32_t id)
{
    uint32_t n = 0, *path = NULL;
    size_t room = 0;
    for (uint32_t at = id; s->record[at].parent != HD_NO_INDEX; at = s->record[at].parent) {
        HD_GROW(path, n, room);
        path[n++] = s->record[at].thread;
    }
    s->log->count = 0;
    hd_move_start(s);
    while (n)
        hd_move(s, path[--n]);
    if (s->q->freed != HD_NO_INDEX) {
        HD_GROW(s->log->order, s->log->count, s->log_room);
        s->log->order[s->log->count++] = s->x->item[s->q->freed].position;
    }
    free(path);
}

static enum hd_decision decide(struct hd_search *s, uint64_t budget, uint32_t *found)
{
    uint32_t *stack = NULL;
    size_t depth = 0, room = 0;
    enum hd_decision decision = HD_IMPOSSIBLE;
    bool fresh;
    hd_move_start(s);
    uint32_t id = intern(s, &fresh);
    HD_GROW(stack, depth, room);
    stack[depth++] = id;
    while (depth && decision == HD_IMPOSSIBLE) {
        id = stack[--depth];
        load(s, id);
        if (hd_move_reached(s)) {
            *found = id;
            decision = HD_WITNESS;
        } else if (s->states > budget || (s->q->stop && *s->q->stop)) {
            decision = HD_OPEN;
        }
        for (uint32_t t = 0; t < s->threads && decision == HD_IMPOSSIBLE; t++) {
            load(s, id);
            const struct hd_item *it = hd_move_next(s, t);
            if (!it || !hd_move_enabled(s, it))
                continue;
            hd_move(s, t);
            uint32_t to = hd_move_dead(s) ? HD_NO_INDEX : intern(s, &fresh);
            if (to == HD_NO_INDEX || !fresh)
                continue;
            s->record[to].parent = id;
            s->record[to].thread = t;
            HD_GROW(stack, depth, room);
            stack[depth++] = to;
        }
    }
    free(stack);
    return decision;
}

struct layer { uint32_t *id; size_t count, room; };

static void expand(struct hd_search *s, uint32_t id, struct layer *same, struct layer *next)
{
    for (uint32_t t = 0; t < s->threads; t++) {
        bool fresh;
        load(s, id);
        uint32_t running = s->now[s->words - 1];
        const struct hd_item *it = hd_move_next(s, t);
        if (!it || !hd_move_enabled(s, it))
            continue;
        hd_move(s, t);
        if (hd_move_dead(s))
            continue;
        bool stays = running == t || running == s->threads;
        uint32_t to = intern(s, &fresh), cost = s->record[id].cost + !stays;
        struct hd_record *rec = &s->record[to];
        if (!fresh && (rec->done || rec->cost <= cost))
            continue;
        *rec = (struct hd_record){id, t, cost, false};
        struct layer *into = stays ? same : next;
        HD_GROW(into->id, into->count, into->room);
        into->id[into->count++] = to;
    }
}

/* Layers of equal cost; a goal that needs one more switch to the freed read waits for the next layer. */
static bool fewest_switches(struct hd_search *s, uint64_t budget, uint32_t *found)
{
    struct layer layer[2] = {{0}, {0}};
    uint32_t pending = HD_NO_INDEX, last = s->q->freed == HD_NO_INDEX ? HD_NO_INDEX : s->x->item[s->q->freed].thread;
    bool fresh, ok = false;
    int which = 0;
    hd_move_start(s);
    HD_GROW(layer[0].id, layer[0].count, layer[0].room);
    layer[0].id[layer[0].count++] = intern(s, &fresh);
    while (layer[which].count && !ok && s->states <= budget) {
        while (layer[which].count && !ok && s->states <= budget) {
            uint32_t id = layer[which].id[--layer[which].count];
            if (s->record[id].done)
                continue;
            s->record[id].done = true;
            load(s, id);
            if (!hd_move_reached(s)) {
                expand(s, id, &layer[which], &layer[!which]);
                continue;
            }
            ok = last == HD_NO_INDEX || s->now[s->words - 1] == last;
            if (ok || pending == HD_NO_INDEX)
                pending = id;
            if (!ok)
                expand(s, id, &layer[which], &layer[!which]);
        }
        ok |= pending != HD_NO_INDEX;
        which = !which;
    }
    *found = pending;
    free(layer[0].id);
    free(layer[1].id);
    return pending != HD_NO_INDEX;
}

static void add_slot(struct hd_search *s, uint32_t cell)
{
    if (s->slot[cell] == HD_NO_INDEX) {
        s->slot[cell] = s->slots;
        s->cell[s->slots++] = cell;
    }
}

static void find_slots(struct hd_search *s)
{
    const struct hd_index *x = s->x;
    s->slot = hd_alloc((x->cells + 1) * sizeof *s->slot);
    s->cell = hd_alloc((x->cells + 1) * sizeof *s->cell);
    memset(s->slot, 0xff, (x->cells + 1) * sizeof *s->slot);
    for (uint32_t t = 0; t < s->threads; t++)
        for (uint32_t i = 0; i < s->cone->limit[t]; i++) {
            const struct hd_item *it = &x->item[hd_item_at(x, t, i)];
            for (uint32_t k = 0; it->reads && k < it->cells; k++)
                add_slot(s, it->cell + k);
        }
    s->goal = hd_alloc((x->cells + 1) * sizeof *s->goal);
    if (s->q->freed == HD_NO_INDEX)
        return;
    const struct hd_item *r = &x->item[s->q->freed];
    for (uint32_t k = 0; k < r->cells; k++)
        if (hd_feas_differs(x, s->q->freed, s->q->challenger, r->cell + k)) {
            add_slot(s, r->cell + k);
            s->goal[s->slot[r->cell + k]] = true;
        }
}

static void find_ends(struct hd_search *s)
{
    const struct hd_index *x = s->x;
    size_t n = (size_t)s->slots * s->threads + 1;
    s->read_end = hd_alloc(n * sizeof *s->read_end);
    s->write_end = hd_alloc(n * sizeof *s->write_end);
    for (uint32_t t = 0; t < s->threads; t++)
        for (uint32_t i = 0; i < s->cone->limit[t]; i++) {
            const struct hd_item *it = &x->item[hd_item_at(x, t, i)];
            for (uint32_t k = 0; it->class == HD_ACCESS && k < it->cells; k++) {
                if (s->slot[it->cell + k] == HD_NO_INDEX)
                    continue;
                size_t at = (size_t)s->slot[it->cell + k] * s->threads + t;
                if (it->reads)
                    s->read_end[at] = i + 1;
                if (it->writes)
                    s->write_end[at] = i + 1;
            }
        }
}

static void free_search(struct hd_search *s)
{
    free(s->slot);
    free(s->cell);
    free(s->goal);
    free(s->read_end);
    free(s->write_end);
    free(s->state);
    free(s->record);
    free(s->table);
    free(s->now);
}

static void set_up(struct hd_search *s)
{
    find_slots(s);
    find_ends(s);
    s->words = 2 * s->threads + s->slots + 1;
    s->now = hd_alloc(s->words * sizeof *s->now);
}

/* A state may be a dozen words or, where thousands of cells are read, as many thousands. */
static uint64_t states_allowed(const struct hd_search *s)
{
    uint64_t fit = (s->q->words ? s->q->words : HD_DEFAULT_WORDS) / s->words;
    if (s->q->budget)
        return s->q->budget;
    return fit < HD_DEFAULT_STATES ? fit : HD_DEFAULT_STATES;
}

void hd_search(const struct hd_index *x, const struct hd_query *q, const struct hd_cone *cone, bool want_order,
               struct hd_answer *answer)
{
    struct hd_search s = {.x = x, .q = q, .cone = cone, .threads = x->threads};
    uint32_t found = HD_NO_INDEX;
    uint64_t items = 0;
    for (uint32_t t = 0; t < x->threads; t++)
        items += cone->limit[t];
    set_up(&s);
    answer->decision = decide(&s, states_allowed(&s), &found);
    answer->words = (uint64_t)s.states * s.words + items;
    if (answer->decision == HD_WITNESS && want_order) {
        s.log = answer;
        write_order(&s, found);
    }
    free_search(&s);
}

void hd_search_polish(const struct hd_index *x, const struct hd_query *q, const struct hd_cone *cone,
                      struct hd_answer *answer)
{
    struct hd_search s = {.x = x, .q = q, .cone = cone, .threads = x->threads, .minimal = true};
    struct hd_answer better = *answer;
    uint64_t budget = q->budget && q->budget < POLISH_STATES ? q->budget : POLISH_STATES, items = 0;
    uint32_t found = HD_NO_INDEX;
    for (uint32_t t = 0; t < x->threads; t++)
        items += cone->limit[t];
    if (items > POLISH_ITEMS)
        return;
    budget = budget < POLISH_WORK / (items + 1) ? budget : POLISH_WORK / (items + 1);
    set_up(&s);
    if (fewest_switches(&s, budget, &found)) {
        better.order = NULL;
        s.log = &better;
        write_order(&s, found);
        free(answer->order);
        *answer = better;
    }
    free_search(&s);
}
