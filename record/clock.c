/* SPDX-License-Identifier: Apache-2.0
 * Time. Sleeping costs none: a timed wait is over when nothing else can run.
 *
 * Two clocks: logical time orders the timers and depends on nothing but what the
 * program asked for, so the order repeats; the clock the program reads is the
 * real one plus what was slept through without waiting, so it never disagrees
 * with a sleep that is over, and goes on while the program computes. */
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "record/runtime.h"

#define SECOND 1000000000ull
#define MILLISECOND 1000000ull

static uint64_t logical, skew; /* nanoseconds */

typedef int gettime_fn(clockid_t, struct timespec *);

static gettime_fn *real_gettime(void)
{
    static gettime_fn *real;
    if (!real)
        real = (gettime_fn *)hd_real("clock_gettime");
    return real;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t = { 0 };
    int saved = errno;
    real_gettime()(clock, &t);
    errno = saved;
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec + skew;
}

void hd_clock_reset(void)
{
    logical = 0;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a + b < a || a + b == HD_NEVER ? HD_NEVER - 1 : a + b;
}

struct hd_deadline hd_deadline_after(uint64_t nanoseconds)
{
    return (struct hd_deadline){ plus(logical, nanoseconds), plus(read_clock(CLOCK_MONOTONIC), nanoseconds) };
}

/* What is left is rounded up to milliseconds: the time the program took to compute the argument
 * must not decide the order of timers. */
struct hd_deadline hd_deadline_at(int clock, const struct timespec *at)
{
    uint64_t due = at->tv_sec < 0 ? 0 : plus((uint64_t)at->tv_sec * SECOND, (uint64_t)at->tv_nsec);
    uint64_t now = read_clock(clock);
    uint64_t left = due > now ? due - now : 0;
    return hd_deadline_after((left + MILLISECOND - 1) / MILLISECOND * MILLISECOND);
}

void hd_clock_reach(uint64_t until, uint64_t clock)
{
    uint64_t now = read_clock(CLOCK_MONOTONIC);
    if (until > logical)
        logical = until;
    if (clock > now)
        skew += clock - now;
}

struct timespec *hd_clock_left(uint64_t clock, struct timespec *left)
{
    uint64_t now = read_clock(CLOCK_MONOTONIC);
    if (clock <= now)
        return NULL;
    left->tv_sec = (time_t)((clock - now) / SECOND);
    left->tv_nsec = (long)((clock - now) % SECOND);
    return left;
}

/* ------------------------------------------------------------ clocks as the program reads them */

static void stored(const void *p, size_t size, uint64_t pc)
{
    if (hd_self && !hd_self->inside)
        hd_access_range(hd_self, p, size, HD_WRITE, pc);
}

static bool follows_time(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_TAI;
}

HD_EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    int result = real_gettime()(clock, t);
    if (result == 0 && skew && follows_time(clock)) {
        uint64_t now = (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec + skew;
        t->tv_sec = (time_t)(now / SECOND);
        t->tv_nsec = (long)(now % SECOND);
    }
    if (result == 0)
        stored(t, sizeof *t, HD_CALLER);
    return result;
}

HD_EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    typedef int fn(struct timeval *, void *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("gettimeofday");
    int result = real(t, zone);
    if (result == 0 && skew) {
        uint64_t now = read_clock(CLOCK_REALTIME);
        t->tv_sec = (time_t)(now / SECOND);
        t->tv_usec = (suseconds_t)(now % SECOND / 1000);
    }
    if (result == 0)
        stored(t, sizeof *t, HD_CALLER);
    return result;
}

HD_EXPORT time_t time(time_t *out)
{
    typedef time_t fn(time_t *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("time");
    time_t now = real(NULL);
    if (skew)
        now = (time_t)(read_clock(CLOCK_REALTIME) / SECOND);
    if (out) {
        *out = now;
        stored(out, sizeof *out, HD_CALLER);
    }
    return now;
}

/* ------------------------------------------------------------ sleeping */

int hd_sleep(const struct hd_deadline *deadline, uint64_t nanoseconds, uint64_t pc)
{
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = HD_SLEEP, .pc = pc };
    hd_sync_begin(self, &point);
    hd_sync_made(self, &point, nanoseconds);
    while (!self->released && !hd_block_until(self, &point, deadline))
        hd_testcancel(self);
    self->retrying = false;
    hd_testcancel(self);
    return 0;
}

static uint64_t nanoseconds_of(const struct timespec *t)
{
    return plus((uint64_t)t->tv_sec * SECOND, (uint64_t)t->tv_nsec);
}

static bool is_valid(const struct timespec *t)
{
    return t && t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)SECOND;
}

static int sleep_for(uint64_t nanoseconds, uint64_t pc)
{
    struct hd_deadline deadline = hd_deadline_after(nanoseconds);
    return hd_sleep(&deadline, nanoseconds, pc);
}

HD_EXPORT int nanosleep(const struct timespec *wish, struct timespec *left)
{
    typedef int fn(const struct timespec *, struct timespec *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("nanosleep");
    if (!hd_self || !is_valid(wish))
        return real(wish, left);
    return sleep_for(nanoseconds_of(wish), HD_CALLER);
}

HD_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wish, struct timespec *left)
{
    typedef int fn(clockid_t, int, const struct timespec *, struct timespec *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("clock_nanosleep");
    if (!hd_self || !is_valid(wish) || !follows_time(clock))
        return real(clock, flags, wish, left);
    if (!(flags & TIMER_ABSTIME))
        return sleep_for(nanoseconds_of(wish), HD_CALLER);
    struct hd_deadline deadline = hd_deadline_at(clock, wish);
    return hd_sleep(&deadline, 0, HD_CALLER);
}

HD_EXPORT int usleep(useconds_t microseconds)
{
    typedef int fn(useconds_t);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("usleep");
    return hd_self ? sleep_for(microseconds * 1000ull, HD_CALLER) : real(microseconds);
}

HD_EXPORT unsigned sleep(unsigned seconds)
{
    typedef unsigned fn(unsigned);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("sleep");
    return hd_self ? (unsigned)sleep_for(seconds * SECOND, HD_CALLER) : real(seconds);
}

/* ------------------------------------------------------------ yielding */

int hd_yield(uint64_t pc)
{
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = HD_YIELD, .pc = pc };
    hd_sync_begin(self, &point);
    hd_sync_made(self, &point, 0);
    return 0;
}

HD_EXPORT int sched_yield(void)
{
    typedef int fn(void);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("sched_yield");
    return hd_self ? hd_yield(HD_CALLER) : real();
}
