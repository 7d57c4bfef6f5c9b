/* SPDX-License-Identifier: Apache-2.0
 * Who runs next: the question the baton asks.
 *
 * The scheduler knows which threads can run; a policy chooses among them. Record
 * and replay are the same machine with another policy: record/run_policy.c runs
 * a thread until it blocks (or switches by seed), replay/witness_policy.c
 * enforces the slices of a witness and then does the same.
 *
 * Every function is called with the baton and never blocks. */
#ifndef HD_POLICY_H
#define HD_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct hd_thread;

/* What the asking thread is about to do. */
struct hd_point {
    uint32_t kind;   /* enum hd_kind */
    uint32_t object; /* id, 0 = none */
    uint32_t size;   /* accesses */
    uint64_t pc;
};

struct hd_policy {
    const char *name;
    void (*begin)(void);
    /* A thread was registered; its parent's side of the creation is done. */
    void (*created)(struct hd_thread *thread);
    /* `self` is about to make the event at `point` as its n-th synchronization event, or stands
     * before access k == self->stop_k. Returns who runs now: self to go on. */
    struct hd_thread *(*at)(struct hd_thread *self, const struct hd_point *point);
    /* `self` cannot run (blocked, ended, outside): who does? NULL: nobody can. `point` is what it
     * could not do, NULL for the end of a thread. */
    struct hd_thread *(*next)(struct hd_thread *self, const struct hd_point *point);
    /* `self` made a synchronization event; sets self->stop_k for the interval that begins. */
    void (*made)(struct hd_thread *self, const struct hd_point *point);
    /* Which waiter a signal wakes; NULL or absent: the one that waits longest. */
    struct hd_thread *(*waiter)(uint32_t object);
    /* A schedule is being enforced: nobody is passed over for want of progress. Absent: never. */
    bool (*enforcing)(void);
    /* In this test it lets `self` go on at every event but a quantum and a yield, and `made` does nothing: it need not
     * be asked. Absent: no. */
    bool (*silent)(void);
};

extern const struct hd_policy hd_run_policy, hd_witness_policy;
extern const struct hd_policy hd_pct_policy;

#endif
