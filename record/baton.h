/* SPDX-License-Identifier: Apache-2.0
 * Inside the scheduler. baton.c passes the baton and asks the policy; parked.c is about those who wait for
 * something; away.c about those who are out of its reach. The others see runtime.h. */
#ifndef HD_BATON_H
#define HD_BATON_H

#include "record/runtime.h"

enum { HD_NOTHING, HD_BATON, HD_LOOK_AGAIN }; /* what a thread's semaphore says */

#define HD_DRAIN_EVENTS 10000 /* of other threads, in a drain */
#define HD_DRAIN_QUANTUM (HD_DRAIN_EVENTS / 64) /* what a quantum counts for */

struct hd_baton {
    struct hd_thread *drainer; /* is not on before the others cannot, */
    int64_t drain_left;        /* or have made so many synchronization events */
    uint64_t events_made;
    _Atomic uint64_t stranger_acts; /* one between the end of a mutex and the queue must not be missed */
};
extern struct hd_baton hd_baton;

bool hd_is_ready(const struct hd_thread *);

/* With the lock held. */
void hd_baton_give(struct hd_thread *next); /* it is woken by the unlock */
bool hd_baton_leave(struct hd_thread *self, const struct hd_point *); /* who is next? false: a deadlock */
void hd_baton_post(struct hd_thread *, uint32_t what);

/* Without. Does not come back. */
void hd_baton_deadlock(struct hd_thread *);

#endif
