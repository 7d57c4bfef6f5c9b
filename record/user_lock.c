/* SPDX-License-Identifier: Apache-2.0 */
#include "record/user_lock.h"

#include <string.h>

#define OBJECTS_MAX (1u << 13)

struct state { uint32_t depth, readers, count; bool counted, said; };

static struct state *states;

void hd_user_reset(void)
{
    if (states)
        memset(states, 0, OBJECTS_MAX * sizeof *states);
}

/* Object 0 stands for all that came after the table was full: it is never waited for. */
static struct state *state_of(uint32_t object)
{
    static struct state nobody;
    if (!states)
        states = hd_arena(OBJECTS_MAX * sizeof *states);
    if (object && object < OBJECTS_MAX)
        return &states[object];
    nobody = (struct state){ .count = 1, .counted = true };
    return &nobody;
}

uint32_t hd_user_release_kind(struct hd_thread *t, uint32_t object)
{
    return hd_object_owner(object) != t && state_of(object)->readers ? HD_RWUNLOCK : HD_UNLOCK;
}

static bool must_wait(const struct hd_user *u)
{
    const struct state *s = state_of(u->point.object);
    switch (u->point.kind) {
    case HD_LOCK: return hd_object_owner(u->point.object) || s->readers;
    case HD_RDLOCK: return hd_object_owner(u->point.object) != NULL;
    case HD_SEM_WAIT: return s->count == 0;
    default: return false;
    }
}

void hd_user_enter(struct hd_thread *t, struct hd_user *u)
{
    struct state *s = state_of(u->point.object);
    bool mine = hd_object_owner(u->point.object) == t;
    u->nested = mine && ((u->point.kind == HD_LOCK && u->recursive && !u->tries) ||
                         (u->point.kind == HD_UNLOCK && s->depth));
    if (u->nested)
        return;
    if (!s->counted && (u->point.kind == HD_SEM_WAIT || u->point.kind == HD_SEM_POST)) {
        s->counted = true;
        s->count = u->count;
    }
    hd_sync_begin(t, &u->point);
    while (!u->tries && !t->released && must_wait(u))
        hd_block(t, &u->point);
}

/* The first wait for an object says what its count was to begin with. */
static uint64_t value_of(const struct hd_user *u, struct state *s)
{
    if (u->point.kind != HD_SEM_WAIT || s->said)
        return 0;
    s->said = true;
    return 1 + (uint64_t)u->count;
}

static void change_hands(struct hd_thread *t, const struct hd_user *u, struct state *s)
{
    switch (u->point.kind) {
    case HD_LOCK: hd_object_set_owner(u->point.object, t); break;
    case HD_UNLOCK: hd_object_set_owner(u->point.object, NULL); break;
    case HD_RDLOCK: s->readers++; break;
    case HD_RWUNLOCK: s->readers -= s->readers > 0; break;
    case HD_SEM_POST: s->count++; break;
    case HD_SEM_WAIT: s->count -= s->count > 0; break;
    default: break;
    }
}

void hd_user_done(struct hd_thread *t, struct hd_user *u)
{
    struct state *s = state_of(u->point.object);
    if (u->tries && u->point.kind == HD_LOCK && hd_object_owner(u->point.object) == t)
        u->nested = true;
    if (u->nested) {
        s->depth += u->point.kind == HD_LOCK ? 1u : -1u;
        return;
    }
    if (t->released)
        return;
    change_hands(t, u, s);
    hd_sync_made(t, &u->point, value_of(u, s));
    if (u->point.kind == HD_UNLOCK || u->point.kind == HD_RWUNLOCK || u->point.kind == HD_SEM_POST)
        hd_wake(u->point.object);
}
