/* SPDX-License-Identifier: Apache-2.0
 * The runtime inside the test: threads, the baton, and where each file's part is.
 *
 * While a test is recorded exactly one of its threads runs: the one with the
 * baton. hd_self is that thread's own structure, and NULL whenever nothing is
 * to be recorded (no heddle, no test, inside the runtime): that one load is all
 * a call-out costs when heddle is off.
 *
 *   sync operation:   hd_sync_begin(point)   scheduling point; flushes the pending access
 *                     ... operate the real primitive without blocking ...
 *                     hd_block(point)        if it said busy; then retry
 *                     hd_sync_made(point)    appends the event
 *
 * | call                | baton | may switch |
 * |---------------------|-------|------------|
 * | hd_sync_begin       | yes   | yes        |
 * | hd_block            | yes   | yes        |
 * | hd_wake             | yes   | no         |
 * | hd_outside_begin/end| yes/no| yes        |
 */
#ifndef HD_RUNTIME_H
#define HD_RUNTIME_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "proto/kinds.h"
#include "record/policy.h"
#include "record/shared.h"

#define HD_THREADS_MAX 65535 /* of one test, over time: a record has 16 bits for it */
#define HD_FRAMES_MAX 1024
#define HD_FILTER_SLOTS 256
#define HD_EXPORT __attribute__((visibility("default")))
#define HD_CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

enum hd_thread_state { HD_READY, HD_RUNNING, HD_PARKED, HD_OUTSIDE, HD_ENDED };

#define HD_NEVER UINT64_MAX

/* When a timed wait is over: in logical time, by which timers are ordered, and by the clock that the
 * program reads (see clock.c). */
struct hd_deadline { uint64_t logical, clock; };

/* A call under way. Its node is looked up when an event needs it; 0 until then. */
struct hd_frame { uintptr_t cfa; uint64_t pc; uint32_t node; };

/* One entry of the repeat filter: reads of one location from one site. */
struct hd_seen { uint64_t address, pc; uint32_t stack, stamp, count, last_k; uint8_t size; };

enum hd_pending { HD_PENDING_NONE, HD_PENDING_ONE, HD_PENDING_RANGE, HD_PENDING_PAIR };

struct hd_thread {
    uint32_t k, stop_k; /* accesses since the last synchronization event; where to ask the policy */
    uint32_t fast_until; /* accesses below this k may take the short way; 0: something is to be done first */
    uint32_t code, ordered, era; /* owner.h */
    uint16_t id;
    uint8_t pending;    /* the record at head waits for its value: enum hd_pending */
    uint8_t inside;     /* in the runtime */
    struct hd_record *slot;
    size_t range_left;  /* PENDING_RANGE: bytes after those of the record at head */
    struct hd_record second; /* PENDING_PAIR: the read that comes after the record at head */
    uint32_t n;         /* synchronization events made so far */
    uint32_t frames;
    uint32_t filter_stamp, filter_used;
    uint16_t filter_slot[HD_FILTER_SLOTS / 2]; /* the used ones */
    uint32_t *clock, clocks, clock_room; /* by thread: eras of it that are over before this thread's next event */
    struct hd_frame frame[HD_FRAMES_MAX];
    struct hd_seen seen[HD_FILTER_SLOTS];

    enum hd_thread_state state;
    struct hd_point waiting; /* PARKED: for what */
    uint64_t deadline, clock_due; /* PARKED: HD_NEVER, or when to give up */
    bool timed_out, signalled, cancelled, detached;
    bool retrying;           /* woken without a reason: blocking again is no news */
    uint64_t queued;         /* waiting on a condition: since when */
    uint32_t write_awaited;  /* the rwlock that it waits to write under, or 0 */

    /* An atomic load that repeats the one before (atomic.c). */
    struct { uint64_t address, pc, value; uint32_t stack, n, dropped, size; } look;
    bool spinning;
    uint32_t atomics;
    uint32_t turn, idle; /* progress.c: events since it got the baton, and since one changed anything */
    bool wrote;          /* since its last synchronization event */
    _Atomic bool taken;      /* by the watchdog */
    volatile bool quiet;     /* in the framework (framework.h): that may wait for its own */
    volatile bool in_lock;   /* waits for the scheduler's lock */
    int tid;
    struct hd_thread *parent, *joining;
    uint32_t children, plan; /* plan: index of this thread in the witness, UINT32_MAX unknown */
    _Atomic uint32_t semaphore;
    _Atomic bool released; /* its test is over: it runs free, and must not touch ring or baton */
    uint8_t missed_signal; /* a handler ran unrecorded */
    uint32_t handlers;     /* that ran in it */
    uint64_t stranger_acts; /* seen before the mutex of a condition was given up */
    pthread_t handle;
    void *(*start)(void *);
    void *argument;
};

struct hd_runtime {
    struct hd_shared *shared;
    struct hd_record *ring;
    const struct hd_policy *policy;
    struct hd_thread *thread[HD_THREADS_MAX];
    uint32_t threads;
    struct hd_thread *volatile holder;
    uint64_t tail_seen; /* the parent took at least these: its line is looked at only when that is not enough */
    volatile bool ring_full; /* the holder waits for the parent */
    bool silent;       /* the policy lets who makes an event go on (policy.h) */
    bool recording;    /* between test begin and end */
    bool noise;        /* noise.h */
    bool framework;    /* tests are marked; main is not one */
    bool followed;     /* a process that a framework made for a test */
    int shared_fd;
    bool strangers;    /* threads that are not the test's were seen */
    uint8_t unknown;   /* 1: one of them touched memory; 2: that was said */
    bool free_baton;   /* nobody can run, somebody is outside */
    uint32_t events, idle_events; /* progress.c: of all threads, since a timer fired, and since one changed anything */
    bool reduced;      /* past the budget: words of one thread alone are left out */
    bool capped;       /* past the size: all accesses are */
    int test_failed;
};

extern struct hd_runtime hd_run;
extern __thread struct hd_thread *hd_self;
extern __thread bool hd_known; /* the calling thread is or was a test's */

/* The calling thread, if what it does in an interposed function is to be recorded. */
static inline struct hd_thread *hd_recorder(void)
{
    struct hd_thread *t = hd_self;
    return t && !t->inside ? t : NULL;
}

/* runtime.c */
void *hd_real(const char *name);
/* What the library cannot do without (errno) is not to be had: ends the process, and the run is void. A run
 * that goes on unseen, or dies of it, would be taken for the test's. */
__attribute__((noreturn)) void hd_exhausted(void);
void *hd_arena(size_t bytes);  /* zeroed, never freed, not through malloc */

/* ring.c: appending needs the baton. */
struct hd_record *hd_ring_append(struct hd_thread *, unsigned kind);
struct hd_record *hd_ring_slot(void); /* the same, not filled in */
void hd_ring_publish(void);
void hd_ring_text(struct hd_thread *, unsigned kind, uint64_t address, uint64_t value, const char *a, const char *b);
void hd_ring_bell(void);
void hd_ring_wait(uint64_t head);    /* until the parent made room for a record there */
void hd_ring_prepare(uint64_t head); /* the pages of the stretch that begins there */
void hd_ring_tell_owner(const struct hd_record *);
/* The slot behind the last record is cleared when that is published, so it is never one still to be read. */
#define HD_RING_ROOM (HD_RING_RECORDS - 1)
#define HD_RING_STRETCH (HD_RING_RECORDS / 16)
void hd_ring_modules(void);

/* stack.c */
uint32_t hd_stack_node(struct hd_thread *); /* of the calls under way */
void hd_stack_reset(void);

/* access.c */
void hd_access_flush(struct hd_thread *); /* completes the pending access; first waits for the baton if it was taken */
void hd_access_complete(struct hd_thread *);
void hd_access_abandon(struct hd_thread *, uint64_t fault); /* the pending access faulted there: it was not made */
static inline bool hd_access_is_clean(const struct hd_thread *t) /* there is nothing to flush */
{
    return !t->pending && !atomic_load_explicit(&t->taken, memory_order_relaxed);
}
void hd_access_one(struct hd_thread *, const void *, unsigned size, unsigned kind, uint64_t pc); /* 1 to 8 bytes */
void hd_access_range(struct hd_thread *, const void *, size_t size, unsigned kind, uint64_t pc);
void hd_access_interval(struct hd_thread *);  /* a synchronization event: a new interval begins */
void hd_access_mark(struct hd_thread *, unsigned kind, uint64_t address, uint64_t value, uint64_t pc);
void hd_access_reset(void); /* a new test */

/* heap.c: a block appeared; one is about to be freed, a write to all of it */
void hd_heap_made(struct hd_thread *, void *, size_t size, uint64_t pc);
void hd_heap_freed(struct hd_thread *, void *, uint64_t pc);

/* blocks.c */
void hd_block_made(void *, size_t size);
size_t hd_block_size(void *);

/* objects.c */
uint32_t hd_object(uint64_t address, unsigned kind);
void hd_object_forget(uint64_t address);
/* An event, where the object was ever used; then it is forgotten. In two steps where destroying can fail. */
void hd_object_destroy(uint64_t address, uint64_t pc);
struct hd_point hd_destroy_begin(uint64_t address, uint64_t pc);
void hd_destroy_made(const struct hd_point *, uint64_t address, int error);
void hd_objects_forget(uint64_t address, uint64_t size); /* new memory: what was there is gone */
void hd_objects_reset(void);
struct hd_thread *hd_object_owner(uint32_t object);
void hd_object_set_owner(uint32_t object, struct hd_thread *);
uint64_t *hd_object_data(uint32_t object); /* a word for the object's own file */

/* baton.c, parked.c, away.c */
void hd_lock(void);
void hd_unlock(void);
void hd_sync_begin(struct hd_thread *, const struct hd_point *);
void hd_sync_made(struct hd_thread *, const struct hd_point *, uint64_t value);
struct hd_record *hd_sync_append(struct hd_thread *, const struct hd_point *); /* the two halves of made */
void hd_sync_done(struct hd_thread *, const struct hd_point *);
void hd_block(struct hd_thread *, const struct hd_point *);
bool hd_block_until(struct hd_thread *, const struct hd_point *, const struct hd_deadline *); /* true: time is up */
void hd_wake(uint32_t object);
void hd_wake_thread(struct hd_thread *);
void hd_wake_joiners(struct hd_thread *ended);
void hd_give_way(struct hd_thread *self, struct hd_thread *next);
void hd_spin_pause(struct hd_thread *);
bool hd_any_outside(void);
void hd_access_stop(struct hd_thread *, unsigned kind, unsigned size, uint64_t pc);
void hd_thread_ended(struct hd_thread *);
void hd_leaver(const struct hd_thread *); /* it ends now; the next one to run waits for that: */
void hd_await_leaver(void);
void hd_outside_begin(struct hd_thread *);
void hd_outside_end(struct hd_thread *);
void hd_take_away(struct hd_thread *);
void hd_stranger_acted(void);
uint64_t hd_stranger_acts(void); /* how often */
void hd_drain(struct hd_thread *);
void hd_release_others(struct hd_thread *); /* the test is over: the other threads run free */
void hd_say_unknown(struct hd_thread *); /* last, where no clock decides: a thread that is not the test's touched memory */
void hd_diverged(struct hd_thread *, const struct hd_divergence *) __attribute__((noreturn));
void hd_park(struct hd_thread *);
void hd_baton_reset(void);
struct hd_thread *hd_next_ready(struct hd_thread *after);
struct hd_thread *hd_earliest_timer(void);
void hd_fire_timer(struct hd_thread *);

/* Does a thread that waits to make this event find out by trying again? */
static inline bool hd_wait_can_retry(unsigned kind)
{
    return kind == HD_LOCK || kind == HD_RDLOCK || kind == HD_WRLOCK || kind == HD_SEM_WAIT;
}

/* atomic.c */
void hd_atomic_flush(struct hd_thread *);
bool hd_atomic_is_same(const struct hd_thread *);
void hd_atomic_stored_byte(struct hd_thread *, uint64_t *, void (*store)(uint64_t *), uint64_t pc); /* `store` sets the first byte */

/* progress.c. Primes: a loop must not stand at the same of its events, say with a lock held, each time it gives way. */
#define HD_IDLE_TURN 199     /* events of one thread that changed nothing, before it gives way */
#define HD_IDLE_EVENTS 401   /* such events of all */
#define HD_TURN_EVENTS 20011 /* events of one thread while others are ready */
void hd_progress_wait(struct hd_thread *);
static inline bool hd_progress_is_due(const struct hd_thread *t)
{
    return t->idle >= HD_IDLE_TURN || t->turn >= HD_TURN_EVENTS || hd_run.idle_events >= HD_IDLE_EVENTS ||
           hd_run.events >= HD_TURN_EVENTS;
}

/* clock.c: deadlines are HD_NEVER-free; the argument is as the caller of the primitive gave it. */
struct hd_deadline hd_deadline_after(uint64_t nanoseconds);
struct hd_deadline hd_deadline_at(int clock, const struct timespec *);
void hd_clock_reach(uint64_t logical, uint64_t clock);
struct timespec *hd_clock_left(uint64_t clock, struct timespec *); /* NULL: it is over */
void hd_clock_reset(void);

/* watchdog.c */
void hd_watchdog_start(void);
bool hd_has_strangers(void);
void hd_accept_threads(void); /* those there are now belong to the framework: they do nothing for the test */
void hd_taken_return(struct hd_thread *);

/* thread.c */
struct hd_thread *hd_thread_new(struct hd_thread *parent);
void hd_thread_here(struct hd_thread *); /* the calling thread is this one */
void hd_threads_reset(void);
void hd_testcancel(struct hd_thread *);
struct hd_thread *hd_thread_of(pthread_t); /* NULL: none of the test's */

/* Primitives by their plain names, with the place of the call; C11 threads use them too. */
int hd_mutex_lock(pthread_mutex_t *, const struct hd_deadline *, uint64_t pc);
int hd_mutex_trylock(pthread_mutex_t *, uint64_t pc);
int hd_mutex_unlock(pthread_mutex_t *, uint64_t pc);
int hd_mutex_give_up(pthread_mutex_t *); /* for a wait: no event */
int hd_cond_wait(pthread_cond_t *, pthread_mutex_t *, const struct hd_deadline *, uint64_t pc);
int hd_cond_signal(pthread_cond_t *, bool all, uint64_t pc);
int hd_once(pthread_once_t *, void (*)(void), uint64_t pc);
int hd_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *, uint64_t pc);
int hd_join(pthread_t, void **, const struct hd_deadline *, bool try, uint64_t pc);
int hd_detach(pthread_t, uint64_t pc);
int hd_sleep(const struct hd_deadline *, uint64_t nanoseconds, uint64_t pc);
int hd_yield(uint64_t pc);

/* test.c */
bool hd_test_begin(const char *suite, const char *test); /* false: not the one to run */
void hd_test_end(bool passed);
struct hd_thread *hd_test_thread(void); /* the one that began the test */
void hd_test_assertion(const char *file, unsigned line, const char *text, bool held, uint64_t pc);

/* test_function.c */
void hd_test_function_left(uintptr_t stack_pointer); /* a longjmp to there */

/* declared.c */
void hd_declared_begin(struct hd_thread *); /* a test begins: modules may have come since */

/* kill.c: the thread is in the real raise, kill or pthread_kill */
extern __thread bool hd_raises;

/* signal.c */
void hd_signal_missed(struct hd_thread *);
bool hd_signal_has_handler(int number);
const sigset_t *hd_signals_with_handler(void);
bool hd_signals_may_come(void); /* a handler waits for a timer or a child */
void hd_signal_left(uintptr_t stack_pointer); /* a longjmp to there */

#endif
