/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/race.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "replay/confirm.h"
#include "replay/happens.h"

static const Heddle__Role *side(const Heddle__Witness *w, unsigned which)
{
    for (size_t i = 0; i < w->finding->n_role; i++)
        if (strcmp(w->finding->role[i]->name, "next") == 0 && which-- == 0)
            return w->finding->role[i];
    return NULL;
}

bool hd_is_race(const Heddle__Witness *w)
{
    return strcmp(w->finding->kind, "race") == 0 && side(w, 0) && side(w, 1);
}

/* ------------------------------------------------------------ who goes first */

/* The schedule with `first` in front, which then goes on: a last slice that has nothing left to do. The
 * added slice and step are the caller's, the rest is the witness's. */
struct variant {
    Heddle__Witness witness;
    Heddle__Slice **slices, last;
};

static void with_first(struct variant *v, const Heddle__Witness *w, const Heddle__Role *first)
{
    v->witness = *w;
    heddle__slice__init(&v->last);
    v->last.thread = first->thread;
    v->last.stop = first->at;
    v->slices = hd_alloc((w->n_slice + 1) * sizeof *v->slices);
    memcpy(v->slices, w->slice, w->n_slice * sizeof *v->slices);
    v->slices[w->n_slice] = &v->last;
    v->witness.slice = v->slices;
    v->witness.n_slice++;
}

void hd_race_settle(Heddle__Witness *w, const struct hd_replay *failed)
{
    const Heddle__Role *first = hd_is_race(w) ? side(w, failed->race_order) : NULL;
    if (!first || (w->n_slice && w->slice[w->n_slice - 1]->thread == first->thread))
        return;
    Heddle__Slice last = HEDDLE__SLICE__INIT;
    last.thread = first->thread;
    last.stop = first->at;
    size_t size = heddle__slice__get_packed_size(&last);
    uint8_t *bytes = hd_alloc(size + 1);
    heddle__slice__pack(&last, bytes);
    w->slice = hd_realloc(w->slice, w->n_slice + 1, sizeof *w->slice);
    w->slice[w->n_slice++] = heddle__slice__unpack(NULL, size, bytes);
    free(bytes);
}

/* ------------------------------------------------------------ what the reruns prove */

static bool writes(unsigned kind)
{
    return kind == HD_WRITE || kind == HD_FREE || kind == HD_ATOMIC_STORE || kind == HD_ATOMIC_RMW;
}

static uint64_t bytes_of(const struct hd_event *e)
{
    return e->kind == HD_FREE ? (e->value ? e->value : 1) : e->size;
}

static bool conflict(const struct hd_event *a, const struct hd_event *b)
{
    return (writes(a->kind) || writes(b->kind)) && !(hd_kind_is_atomic(a->kind) && hd_kind_is_atomic(b->kind)) &&
           a->address < b->address + bytes_of(b) && b->address < a->address + bytes_of(a);
}

/* Nothing of the later event's thread lies between the two: it stood there already. */
static bool stood_there(const struct hd_trace *t, size_t earlier, size_t later)
{
    for (size_t i = earlier; i < later; i++)
        if (t->event[i].thread == t->event[later].thread && t->event[i].kind != HD_UNSEEN_WRITE)
            return false;
    return true;
}

/* Both accesses are in this rerun, at once in front of the same bytes, and nothing orders them. */
static bool shows_race(const struct hd_trace *t, const Heddle__Witness *w)
{
    size_t a = hd_event_of(w, side(w, 0), t), b = hd_event_of(w, side(w, 1), t);
    if (a == SIZE_MAX || b == SIZE_MAX || t->event[a].thread == t->event[b].thread)
        return false;
    size_t first = a < b ? a : b, second = a < b ? b : a;
    return conflict(&t->event[a], &t->event[b]) && stood_there(t, first, second) && !hd_happens_before(t, first, second);
}

static char *stand_words(const Heddle__Witness *w)
{
    const Heddle__Role *a = side(w, 0), *b = side(w, 1);
    char *one = hd_event_words(w, a), *two = hd_event_words(w, b);
    char *text = hd_format("race confirmed: %s and %s stood before it at once, and nothing orders them", one, two);
    free(one);
    free(two);
    return text;
}

static int run_order(struct hd_replay *r, const Heddle__Witness *w, unsigned which, const struct hd_program *program,
                     const struct hd_replay_options *o, char *error, size_t size)
{
    struct variant v;
    with_first(&v, w, side(w, which));
    int failed = hd_replay_once(r, &v.witness, program, o, error, size);
    free(v.slices);
    r->race_order = which;
    if (r->slices_done > w->n_slice)
        r->slices_done = (uint32_t)w->n_slice;
    return failed;
}

static bool reached(const struct hd_replay *r)
{
    return r->kind == HEDDLE__VERDICT__KIND__FAILING || r->kind == HEDDLE__VERDICT__KIND__HARMLESS;
}

static char *outcome_words(const struct hd_replay *r, const Heddle__Witness *w)
{
    return hd_format("%s first: %s", w->thread[side(w, r->race_order)->thread], r->text);
}

int hd_race_replay(struct hd_replay *r, const Heddle__Witness *w, const struct hd_program *program,
                   const struct hd_replay_options *o, char *error, size_t size)
{
    struct hd_replay other;
    if (run_order(r, w, 0, program, o, error, size) != 0)
        return -1;
    if (!reached(r))
        return 0;
    if (run_order(&other, w, 1, program, o, error, size) != 0) {
        hd_replay_free(&other);
        return -1;
    }
    bool race = reached(&other) && (shows_race(r->trace, w) || shows_race(other.trace, w));
    char *one = outcome_words(r, w), *two = outcome_words(&other, w);
    if (r->kind != HEDDLE__VERDICT__KIND__FAILING && other.kind == HEDDLE__VERDICT__KIND__FAILING) {
        struct hd_replay swap = *r;
        *r = other;
        other = swap;
    }
    hd_lines_add(&r->more, one);
    hd_lines_add(&r->more, two);
    hd_replay_free(&other);
    if (race) {
        free(r->confirmed);
        r->confirmed = stand_words(w);
        r->confirmation = "race";
    }
    return 0;
}
