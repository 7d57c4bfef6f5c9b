// SPDX-License-Identifier: Apache-2.0
// Stages 2 and 3 together: rules and line-ups in turn, until the line-up fits or the
// order contradicts itself; where all rules were tried and it is still stuck, what it
// is stuck at is a choice of two orders, or of the write that a read sees. Each is
// tried; all fail: no.
//
// Not all rules are tried before the first line-up. A few, since many questions end
// there; then those of the items that keep the line-up from going on: in a long zone
// few rules matter, and these are among them. Only then the others.
#include <stdlib.h>
#include <string.h>

#include "analyze/engine.h"
#include "proto/memory.h"

enum { BRANCHES = 400, DEPTH = 40, CHOICES = 4000, CHOICES_DEEP = 200 };
enum { FIRINGS_FIRST = 48, FIRINGS = 200, TRIES = 20 };
/* By value: items lined up for one question. */
#define EFFORT ((uint64_t)4 << 20)

static bool take_side(struct hd_engine *e, const struct hd_choice *choice, int side)
{
    uint32_t before = choice->before[side], after = choice->after[side];
    if (before != HD_NO_INDEX && after != HD_NO_INDEX && hd_order_add(e, before, after))
        return true;
    hd_marks_drop_queue(e);
    return false;
}

static enum hd_engine_answer branch(struct hd_engine *e, unsigned depth);

/* Where a choice is made, to come back to. */
struct fork { struct hd_saved *marks; uint32_t *ideal, cut, chosens; size_t pooled; };

static struct fork fork_here(struct hd_engine *e)
{
    struct fork f = {hd_marks_save(e), hd_alloc((e->threads + 1) * sizeof *f.ideal), e->cut, e->chosens, e->pooled};
    memcpy(f.ideal, e->ideal, e->threads * sizeof *f.ideal);
    return f;
}

static void go_back(struct hd_engine *e, const struct fork *f)
{
    hd_marks_restore(e, f->marks);
    memcpy(e->ideal, f->ideal, e->threads * sizeof *f->ideal);
    e->cut = f->cut;
    e->chosens = f->chosens;
}

static void forget(struct hd_engine *e, struct fork *f)
{
    hd_marks_forget(e, f->marks);
    free(f->ideal);
}

/* The choice changed nothing: what keeps the line-up is not an order of two. */
static bool nothing_new(const struct hd_engine *e, const struct fork *f)
{
    return e->pooled == f->pooled && e->cut == f->cut && !memcmp(f->ideal, e->ideal, e->threads * sizeof *f->ideal);
}

static enum hd_engine_answer both_sides(struct hd_engine *e, const struct hd_choice *choice, unsigned depth)
{
    struct fork f = fork_here(e);
    enum hd_engine_answer answer = HD_ENGINE_NO;
    for (int side = 0; side < 2 && answer != HD_ENGINE_YES; side++) {
        if (take_side(e, choice, side)) {
            enum hd_engine_answer one = nothing_new(e, &f) ? HD_ENGINE_UNKNOWN : branch(e, depth + 1);
            answer = one == HD_ENGINE_NO ? answer : one;
        }
        if (answer != HD_ENGINE_YES)
            go_back(e, &f);
    }
    forget(e, &f);
    return answer;
}

static bool take_source(struct hd_engine *e, const struct hd_choice *choice, uint32_t write)
{
    hd_source_choose(e, choice->read, choice->cell, write);
    if ((write == HD_NO_INDEX || hd_order_add(e, write, choice->read)) && hd_source_rules(e, choice->read, choice->cell))
        return true;
    hd_marks_drop_queue(e);
    return false;
}

/* The read sees one of them. */
static enum hd_engine_answer every_source(struct hd_engine *e, const struct hd_choice *choice, unsigned depth)
{
    uint32_t count;
    bool complete;
    uint32_t *source = hd_sources_list(e, choice->read, choice->cell, &count, &complete);
    struct fork f = fork_here(e);
    enum hd_engine_answer answer = complete ? HD_ENGINE_NO : HD_ENGINE_UNKNOWN;
    for (uint32_t i = 0; i < count && answer != HD_ENGINE_YES; i++) {
        if (take_source(e, choice, source[i])) {
            enum hd_engine_answer one = branch(e, depth + 1);
            answer = one == HD_ENGINE_NO ? answer : one;
        }
        if (answer != HD_ENGINE_YES)
            go_back(e, &f);
    }
    forget(e, &f);
    free(source);
    return answer;
}

static bool too_much(struct hd_engine *e, unsigned depth)
{
    e->branches++;
    if (e->by_value)
        return depth >= CHOICES_DEEP || e->branches > CHOICES || e->effort > EFFORT;
    return depth == DEPTH || e->branches > BRANCHES;
}

/* The rules of one item, if they are still to be tried. */
static bool fire(struct hd_engine *e, uint32_t item, bool *any)
{
    if (item == HD_NO_INDEX || !hd_marks_take(e, item))
        return true;
    *any = true;
    if (e->trail.count < sizeof e->trail.item / sizeof *e->trail.item)
        e->trail.item[e->trail.count++] = item;
    return hd_order_fire(e, item);
}

/* What contradicted itself for the last challenger often does for the next. */
static bool fire_lesson(struct hd_engine *e)
{
    bool ok = true, any;
    for (uint32_t i = 0; ok && i < e->lesson.count; i++)
        ok = fire(e, e->lesson.item[i], &any);
    return ok;
}

/* The next thread in the circle of those left behind, or `behinds` where it ends: nobody waits, or for ever. */
static uint32_t waits_for(const struct hd_engine *e, const struct hd_choice *why)
{
    uint32_t at = 0;
    if (!why->until || why->until == UINT32_MAX)
        return e->behinds;
    while (at < e->behinds && e->behind[at].thread != why->thread)
        at++;
    return at;
}

/* Is thread n in a circle in which all the others have to wait? */
static bool closes_circle(const struct hd_engine *e, const struct hd_choice *why, uint32_t n)
{
    uint32_t at = waits_for(e, &why[n]);
    for (uint32_t steps = 0; at < e->behinds && at != n && !why[at].known && steps < e->behinds; steps++)
        at = waits_for(e, &why[at]);
    return at == n;
}

/* Of a circle in which one waits by choice alone, the other side of that choice holds. */
static bool break_circles(struct hd_engine *e, bool *any)
{
    uint32_t count = e->behinds;
    struct hd_choice why[count + 1];
    for (uint32_t n = 0; n < count; n++)
        hd_lineup_behind(e, n, &why[n]);
    for (uint32_t n = 0; n < count; n++) {
        if (why[n].loose || !closes_circle(e, why, n))
            continue;
        *any = true;
        if (!why[n].known || !take_side(e, &why[n], 1))
            return false;
    }
    return true;
}

/* The rules of all that has to do with what keeps the line-up from going on. */
static bool fire_what_keeps(struct hd_engine *e, bool *any)
{
    *any = false;
    for (uint32_t n = 0; n < e->behinds; n++) {
        struct hd_choice why;
        uint32_t kept = hd_lineup_behind(e, n, &why);
        uint32_t waits = why.until && why.until != UINT32_MAX ? hd_item_at(e->x, why.thread, why.until - 1) : HD_NO_INDEX;
        uint32_t other[] = {kept, waits, HD_NO_INDEX, HD_NO_INDEX, HD_NO_INDEX, HD_NO_INDEX};
        if (why.known && !why.loose)
            for (int side = 0; side < 2; side++) {
                other[2 + 2 * side] = why.before[side];
                other[3 + 2 * side] = why.after[side];
            }
        for (size_t i = 0; i < sizeof other / sizeof *other; i++)
            if (!fire(e, other[i], any))
                return false;
    }
    return true;
}

/* A line-up needs no settled order, and what keeps it tells which rules matter. No: a contradiction; yes: it fits;
 * unknown: it is stuck, and all rules were tried. */
static enum hd_engine_answer line_up(struct hd_engine *e, struct hd_choice *choice)
{
    bool ok = true, any = true;
    for (uint32_t firings = e->plain ? UINT32_MAX : FIRINGS_FIRST; ok; firings = firings < FIRINGS ? FIRINGS : firings < UINT32_MAX / 2 ? firings * 2 : firings) {
        ok = hd_order_settle(e, firings) && (firings != FIRINGS_FIRST || fire_lesson(e));
        any = true;
        for (unsigned tries = 0; ok && any && tries < TRIES; tries++) {
            if (hd_lineup(e, choice) == HD_FITS)
                return HD_ENGINE_YES;
            if (hd_marks_settled(e))
                return HD_ENGINE_UNKNOWN;
            ok = fire_what_keeps(e, &any);
            if (ok && !any)
                ok = break_circles(e, &any);
        }
    }
    hd_marks_drop_queue(e);
    return HD_ENGINE_NO;
}

/* Stage 3. `unknown` where a choice could not be named, or there were too many. */
static enum hd_engine_answer branch(struct hd_engine *e, unsigned depth)
{
    struct hd_choice choice;
    enum hd_engine_answer answer = line_up(e, &choice);
    if (answer != HD_ENGINE_UNKNOWN || !choice.known || too_much(e, depth))
        return answer;
    e->stage = "stage3";
    return choice.loose ? every_source(e, &choice, depth) : both_sides(e, &choice, depth);
}

enum hd_engine_answer hd_engine_saturate(struct hd_engine *e)
{
    e->stage = "stage2";
    e->branches = 0;
    e->effort = 0;
    e->trail.count = 0;
    enum hd_engine_answer answer = hd_order_start(e) ? branch(e, 0) : HD_ENGINE_NO;
    if (answer == HD_ENGINE_NO && e->trail.count)
        e->lesson = e->trail;
    return answer;
}
