/* SPDX-License-Identifier: Apache-2.0
 * The watchdog: a thread of ours that sees a holder who makes no events because
 * it sleeps in the kernel (a lock we do not know, a blocking call) or computes
 * in code without call-outs, and lets the others go on meanwhile.
 *
 * Taking the baton must not race with the holder's next call-out. The flag
 * `taken`, which every call-out looks at, is raised first; then the holder is
 * looked at again. Asleep both times without having run in between, it sees the
 * flag when it wakes. Running, it must have burnt a millisecond of CPU since the
 * flag was raised without an event: it is not inside a call-out then.
 * With a debugger attached, no clock takes a baton. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/runtime.h"

#define LOOK_MS 4
#define COMPUTING_MS 200
#define FRAMEWORK_LOOKS 500 /* so long a framework may be about its own business */

struct look { char state; long switches; uint64_t cpu; uint32_t n, k; uint64_t head; };

static pid_t running_in; /* the process that has a watchdog */
static volatile int own_tid;

/* By the kernel's number, not by the handle: the thread may have ended and been joined meanwhile. */
static uint64_t cpu_of(const struct hd_thread *t)
{
    const unsigned scheduler_clock_of_a_thread = 6;
    clockid_t clock = (clockid_t)(~(unsigned)t->tid << 3 | scheduler_clock_of_a_thread);
    struct timespec used = { 0 };
    if (syscall(SYS_clock_gettime, clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000000ull + (uint64_t)used.tv_nsec;
}

static size_t read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : (ssize_t)syscall(SYS_read, fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return got > 0 ? (size_t)got : 0;
}

static long field(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

static bool look_at(const struct hd_thread *t, struct look *look)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", t->tid);
    if (!read_text(path, text, sizeof text))
        return false;
    const char *state = strstr(text, "State:\t");
    look->state = state ? state[7] : '?';
    look->switches = field(text, "nvoluntary_ctxt_switches:") + field(text, "\nvoluntary_ctxt_switches:");
    look->cpu = cpu_of(t);
    look->n = t->n;
    look->k = t->k;
    look->head = atomic_load(&hd_run.shared->head);
    return true;
}

static bool is_debugged(void)
{
    char text[4096];
    return read_text("/proc/self/status", text, sizeof text) && field(text, "TracerPid:") > 0;
}

static bool no_event(const struct look *a, const struct look *b)
{
    return a->n == b->n && a->k == b->k && a->head == b->head;
}

static bool stayed_asleep(const struct look *a, const struct look *b)
{
    return no_event(a, b) && a->state == 'S' && b->state == 'S' && a->switches == b->switches;
}

static void pause_ms(long ms)
{
    struct timespec t = { 0, ms * 1000000 };
    syscall(SYS_nanosleep, &t, NULL);
}

static void take(struct hd_thread *t, const char *why)
{
    hd_lock();
    if (hd_run.holder == t && t->state == HD_RUNNING && hd_run.recording) {
        hd_access_complete(t);
        hd_ring_append(t, HD_WENT_OUTSIDE);
        hd_ring_publish();
        hd_ring_text(t, HD_RING_NOTE, 0, 0, "", why);
        hd_take_away(t);
    } else
        atomic_store(&t->taken, false);
    hd_unlock();
}

/* It waits for us: for the ring, for the lock, for the baton to arrive, inside a real primitive. */
static bool is_ours(const struct hd_thread *t)
{
    return hd_run.ring_full || t->in_lock || t->inside || atomic_load(&t->semaphore);
}

/* Raises the flag, makes sure, takes. */
static void try_to_take(struct hd_thread *t, const struct look *before, bool asleep)
{
    struct look after;
    if (is_debugged())
        return;
    atomic_store(&t->taken, true);
    for (int tries = 0; tries < 100; tries++) {
        pause_ms(1);
        if (!look_at(t, &after) || !no_event(before, &after) || hd_run.holder != t)
            break;
        if (is_ours(t) || (asleep && !stayed_asleep(before, &after)))
            break;
        if (asleep || after.cpu > before->cpu + 2000000) {
            take(t, asleep ? "taken while it slept outside" : "taken while it computed outside");
            return;
        }
    }
    atomic_store(&t->taken, false);
}

/* main left by pthread_exit: the process ends with its last thread, which must not be this one. */
static bool everyone_ended(void)
{
    hd_lock();
    bool ended = hd_run.recording && hd_run.threads;
    for (uint32_t i = 0; ended && i < hd_run.threads; i++)
        ended = hd_run.thread[i]->state == HD_ENDED;
    hd_unlock();
    return ended;
}

static bool another_could_run(struct hd_thread *t)
{
    hd_lock();
    bool could = hd_run.recording && hd_run.holder == t && (hd_next_ready(t) || hd_earliest_timer());
    hd_unlock();
    return could;
}

/* A table of descriptors of its own: what the watchdog opens takes no number from the test, and what the
 * test closes is closed. Where the kernel refuses, the test's numbers may differ from run to run. */
static void leave_descriptors(void)
{
    unsigned bell = (unsigned)hd_run.shared->bell_fd;
    if (syscall(SYS_close_range, bell + 1, ~0u, CLOSE_RANGE_UNSHARE) == 0 && bell > 0)
        syscall(SYS_close_range, 0, bell - 1, 0);
}

static void *watch(void *unused)
{
    leave_descriptors();
    struct look now, last = { 0 };
    struct hd_thread *seen = NULL;
    uint64_t since = 0;
    unsigned in_framework = 0;
    own_tid = (int)syscall(SYS_gettid);
    while (!everyone_ended()) {
        pause_ms(LOOK_MS);
        struct hd_thread *t = hd_run.holder;
        if (!t || !hd_run.recording || is_ours(t) || !look_at(t, &now)) {
            seen = NULL;
            continue;
        }
        in_framework = t->quiet ? in_framework + 1 : 0;
        if (in_framework && in_framework < FRAMEWORK_LOOKS) {
            seen = NULL;
            continue;
        }
        if (t != seen || !no_event(&last, &now)) {
            seen = t;
            since = now.cpu;
        } else if (stayed_asleep(&last, &now))
            try_to_take(t, &now, true);
        else if (now.cpu - since > COMPUTING_MS * 1000000ull && another_could_run(t)) {
            try_to_take(t, &now, false);
            seen = NULL;
        }
        last = now;
    }
    return unused;
}

/* At a call-out of a thread that was taken away: on with the baton only. */
void hd_taken_return(struct hd_thread *t)
{
    hd_lock();
    atomic_store(&t->taken, false);
    bool away = t->state == HD_OUTSIDE;
    hd_unlock();
    if (away)
        hd_outside_end(t);
}

void hd_watchdog_start(void)
{
    typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create_fn *real = (create_fn *)hd_real("pthread_create");
    pthread_attr_t attr;
    pthread_t handle;
    sigset_t all, before;
    if (running_in == getpid() || pthread_attr_init(&attr) != 0)
        return;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 256 << 10);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    own_tid = 0;
    if ((errno = real(&handle, &attr, watch, NULL)) != 0)
        hd_exhausted();
    running_in = getpid();
    while (!own_tid)
        pause_ms(0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
}

struct entry { uint64_t inode, next; unsigned short size; unsigned char type; char name[]; };

#define ACCEPTED_MAX 32
static struct { pid_t process; int count, tid[ACCEPTED_MAX]; } accepted; /* threads of a framework */

static bool is_accepted(int tid)
{
    for (int i = 0; i < accepted.count && accepted.process == getpid(); i++)
        if (accepted.tid[i] == tid)
            return true;
    return false;
}

static bool is_known(int tid)
{
    if (is_accepted(tid))
        return true;
    for (uint32_t i = 0; i < hd_run.threads; i++)
        if (hd_run.thread[i]->tid == tid)
            return true;
    return tid == own_tid;
}

/* atoi() is interposed: called here it would record what the library reads. */
static int number_of(const char *digit)
{
    int number = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        number = 10 * number + (*digit - '0');
    return number;
}

/* Calls `seen` for every thread of the process until it says true. */
static bool any_thread(bool seen(int tid))
{
    char buffer[8192];
    bool found = false;
    long got;
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        hd_exhausted();
    while (fd >= 0 && !found && (got = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < got && !found; at += ((struct entry *)(void *)(buffer + at))->size) {
            int tid = number_of(((struct entry *)(void *)(buffer + at))->name);
            found = tid && seen(tid);
        }
    if (fd >= 0)
        close(fd);
    return found;
}

static bool accept_it(int tid)
{
    if (tid != getpid() && accepted.count < ACCEPTED_MAX)
        accepted.tid[accepted.count++] = tid;
    return false;
}

void hd_accept_threads(void)
{
    accepted.process = getpid();
    accepted.count = 0;
    any_thread(accept_it);
}

static bool is_stranger(int tid) { return !is_known(tid); }

/* Threads of the process that are neither the test's nor the watchdog: made before the test, or by
 * other means. What they do is not seen, so with them around nothing is a deadlock. */
bool hd_has_strangers(void) { return any_thread(is_stranger); }
