/* SPDX-License-Identifier: Apache-2.0
 * Getting nowhere. A thread that runs but changes nothing waits for somebody: it
 * looks at a flag under a lock, yields, tries what is busy. Who does so for long
 * gives way, and when all that run do, time passes: a sleeper wakes. Sleeping is
 * soon over; a wait with a time limit is over only after much more of the same,
 * for its waker may be the one who looks busy.
 *
 * Events are counted, no clock is looked at: this falls on the same event every
 * time. Only while a thread is outside does waiting take real time. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/runtime.h"

/* How many events, idle ones or any, are as long as a sleep or a time limit. */
enum { IDLE_SLEEP = HD_IDLE_EVENTS, IDLE_LIMIT = 20000, BUSY_SLEEP = HD_TURN_EVENTS, BUSY_LIMIT = 1000000 };

/* The earliest timer, if enough has happened for it to be over. */
static struct hd_thread *due_timer(bool outside)
{
    struct hd_thread *t = hd_earliest_timer();
    struct timespec left;
    if (!t) {
        hd_run.events = hd_run.idle_events = 0;
        return NULL;
    }
    if (outside)
        return hd_clock_left(t->clock_due, &left) ? NULL : t;
    bool sleeps = t->waiting.kind == HD_SLEEP;
    uint32_t idle = sleeps ? IDLE_SLEEP : IDLE_LIMIT, busy = sleeps ? BUSY_SLEEP : BUSY_LIMIT;
    return hd_run.idle_events >= idle || hd_run.events >= busy ? t : NULL;
}

static void nap(void)
{
    struct timespec pause = { 0, 200000 };
    int saved = errno;
    syscall(SYS_nanosleep, &pause, NULL);
    errno = saved;
}

void hd_progress_wait(struct hd_thread *self)
{
    if (hd_run.policy->enforcing && hd_run.policy->enforcing())
        return;
    bool waits = self->idle >= HD_IDLE_TURN || self->turn >= HD_TURN_EVENTS, outside = hd_any_outside();
    hd_lock();
    struct hd_thread *timer = due_timer(outside);
    if (timer) {
        hd_fire_timer(timer);
        hd_run.events = hd_run.idle_events = 0;
    }
    hd_unlock();
    struct hd_thread *next = timer ? timer : waits ? hd_next_ready(self) : NULL;
    if (!next && outside && self->idle >= HD_IDLE_TURN)
        nap();
    if (waits)
        self->idle = self->turn = 0;
    hd_give_way(self, next);
}
