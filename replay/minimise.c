/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/minimise.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "proto/witness_file.h"
#include "replay/race.h"

enum { HANGS_MOST = 3 };

struct minimise {
    Heddle__Witness *witness;
    const struct hd_program *program;
    struct hd_replay *failed;
    unsigned time_limit, budget, hangs;
};

/* One rerun of the budget; its figures are kept where it fails as the whole did. */
static bool fails_alike(struct minimise *m, const Heddle__Witness *w)
{
    char error[512];
    struct hd_replay_options options = { .output = HD_OUTPUT_DROP, .time_limit = m->time_limit };
    struct hd_replay r;
    if (!m->budget)
        return false;
    m->budget--;
    if (hd_replay_once(&r, w, m->program, &options, error, sizeof error) != 0)
        return false;
    bool alike = r.kind == HEDDLE__VERDICT__KIND__FAILING && r.outcome == m->failed->outcome &&
                 r.detail == m->failed->detail && strcmp(r.text, m->failed->text) == 0;
    if (alike)
        m->failed->constraints = r.constraints;
    if (r.outcome == HEDDLE__OUTCOME__TIMED_OUT && ++m->hangs == HANGS_MOST)
        m->budget = 0;
    hd_replay_free(&r);
    return alike;
}

/* ------------------------------------------------------------ a shorter schedule */

static void remove_slice(Heddle__Witness *w, size_t at)
{
    heddle__slice__free_unpacked(w->slice[at], NULL);
    memmove(&w->slice[at], &w->slice[at + 1], (w->n_slice - at - 1) * sizeof *w->slice);
    w->n_slice--;
}

/* The steps of both in the place of `into`; it stops where the later one of the two does. */
static void join_slices(Heddle__Witness *w, size_t earlier, size_t later, size_t into)
{
    Heddle__Slice *a = w->slice[earlier], *b = w->slice[later];
    a->step = hd_realloc(a->step, a->n_step + b->n_step + 1, sizeof *a->step);
    if (b->n_step)
        memcpy(a->step + a->n_step, b->step, b->n_step * sizeof *a->step);
    a->n_step += b->n_step;
    b->n_step = 0;
    Heddle__Step *stop = a->stop;
    a->stop = b->stop;
    b->stop = stop;
    if (into == later) {
        w->slice[later] = a;
        w->slice[earlier] = b;
        remove_slice(w, earlier);
    } else
        remove_slice(w, later);
}

/* What became neighbours of one thread is one slice. */
static void join_neighbours(Heddle__Witness *w)
{
    for (size_t i = 0; i + 1 < w->n_slice;)
        if (w->slice[i]->thread == w->slice[i + 1]->thread)
            join_slices(w, i, i + 1, i);
        else
            i++;
}

static size_t other_of_thread(const Heddle__Witness *w, size_t at, int direction)
{
    for (size_t i = at + (size_t)direction; i < w->n_slice; i += (size_t)direction)
        if (w->slice[i]->thread == w->slice[at]->thread)
            return i;
    return SIZE_MAX;
}

enum change { TO_LATER, TO_EARLIER, LEAVE_OUT, CHANGES };

/* False: that change is not to be had here. */
static bool change(Heddle__Witness *w, size_t at, enum change how)
{
    size_t later = other_of_thread(w, at, 1), earlier = other_of_thread(w, at, -1);
    if (how == TO_LATER && later != SIZE_MAX)
        join_slices(w, at, later, later);
    else if (how == TO_EARLIER && earlier != SIZE_MAX)
        join_slices(w, earlier, at, earlier);
    else if (how == LEAVE_OUT && later == SIZE_MAX && w->n_slice > 1)
        remove_slice(w, at);
    else
        return false;
    join_neighbours(w);
    return true;
}

/* A stop in the middle of accesses becomes one before the thread's next synchronization. */
static bool unpin(Heddle__Witness *w, size_t at)
{
    Heddle__Slice *s = w->slice[at];
    size_t later = other_of_thread(w, at, 1);
    if (!s->stop || !hd_kind_is_access(s->stop->kind) || later == SIZE_MAX || !w->slice[later]->n_step)
        return false;
    Heddle__Step *next = w->slice[later]->step[0];
    s->stop->kind = next->kind;
    s->stop->n = next->n;
    s->stop->k = 0;
    s->stop->size = next->size;
    s->stop->nth = next->nth;
    s->stop->object = next->object;
    s->stop->anchor = next->anchor;
    s->stop->place_nth = 0;
    return true;
}

/* The changed copy takes the witness's place where it still fails. */
static bool try_copy(struct minimise *m, Heddle__Witness *copy)
{
    Heddle__Witness *w = m->witness;
    bool kept = fails_alike(m, copy);
    if (kept) {
        Heddle__Slice **slice = w->slice;
        size_t count = w->n_slice;
        w->slice = copy->slice;
        w->n_slice = copy->n_slice;
        copy->slice = slice;
        copy->n_slice = count;
    }
    heddle__witness__free_unpacked(copy, NULL);
    return kept;
}

static bool drop_a_slice(struct minimise *m)
{
    for (size_t i = m->witness->n_slice; i-- > 0;)
        for (int how = 0; how < CHANGES && m->budget; how++) {
            Heddle__Witness *copy = hd_witness_copy(m->witness);
            if (!change(copy, i, (enum change)how))
                heddle__witness__free_unpacked(copy, NULL);
            else if (try_copy(m, copy))
                return true;
        }
    return false;
}

static void drop_pins(struct minimise *m)
{
    for (size_t i = 0; i < m->witness->n_slice && m->budget; i++) {
        Heddle__Witness *copy = hd_witness_copy(m->witness);
        if (!unpin(copy, i))
            heddle__witness__free_unpacked(copy, NULL);
        else
            try_copy(m, copy);
    }
}

/* Shortest first: the first that fails is the answer. */
static void drop_tail(struct minimise *m)
{
    Heddle__Witness *w = m->witness;
    size_t all = w->n_slice, keep = all;
    for (size_t n = 1; n < all && keep == all && m->budget; n++) {
        w->n_slice = n;
        if (fails_alike(m, w))
            keep = n;
    }
    w->n_slice = all;
    while (w->n_slice > keep)
        remove_slice(w, w->n_slice - 1);
}

static uint32_t count_switches(const Heddle__Witness *w)
{
    uint32_t switches = 0;
    for (size_t i = 1; i < w->n_slice; i++)
        switches += w->slice[i]->thread != w->slice[i - 1]->thread;
    return switches;
}

size_t hd_minimise(Heddle__Witness *w, const struct hd_program *program, struct hd_replay *failed,
                   unsigned time_limit, unsigned budget)
{
    struct minimise m = { w, program, failed, time_limit, budget, 0 };
    hd_race_settle(w, failed);
    size_t all = w->n_slice;
    drop_tail(&m);
    while (m.budget && drop_a_slice(&m))
        ;
    drop_pins(&m);
    w->context_switches = count_switches(w);
    return all - w->n_slice;
}
