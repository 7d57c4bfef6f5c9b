/* SPDX-License-Identifier: Apache-2.0
 * Locks and counters of the user's own: what declared functions and annotations
 * have in common. Who has the object is kept here; the user's code below is only
 * let in when it will not block.
 *
 *     hd_user_enter(t, &u)   scheduling point; waits until the object can be had
 *     ... the user's own operation, if it is ours to call ...
 *     hd_user_done(t, &u)    the object changes hands, the event is appended
 *
 * Both need the baton. A nested acquisition of a recursive lock makes no event,
 * nor does its release. */
#ifndef HD_USER_LOCK_H
#define HD_USER_LOCK_H

#include "record/runtime.h"

/* .point.kind: LOCK, RDLOCK, UNLOCK, RWUNLOCK, TRYLOCK_FAIL, SEM_POST, SEM_WAIT, HB_BEFORE, HB_AFTER. */
struct hd_user {
    struct hd_point point;
    bool recursive; /* the owner may acquire again; else that is a deadlock */
    bool tries;     /* never waits; `done` decides between LOCK and TRYLOCK_FAIL */
    bool nested;    /* set by enter */
    uint32_t count; /* SEM_*: to begin with */
};

void hd_user_enter(struct hd_thread *, struct hd_user *);
void hd_user_done(struct hd_thread *, struct hd_user *);
void hd_user_reset(void); /* a test begins */

/* Releasing what is held for reading is an RWUNLOCK. */
uint32_t hd_user_release_kind(struct hd_thread *, uint32_t object);

#endif
