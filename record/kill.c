/* SPDX-License-Identifier: Apache-2.0
 * Signals that one thread of the test sends to another. The kernel wakes who waits
 * for one, or makes a parked thread run its handler, in its own time; whoever sent
 * it waits until that has happened. So what follows is in the same order every
 * time, and a handler does not run beside the thread that has the baton. */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/crossing.h"

__thread bool hd_raises;

#define ANSWER_TRIES 100 /* about 50 ms: it may be blocked, and is then delivered later */

static bool has_answered(struct hd_thread *t, uint32_t handlers, bool waits)
{
    if (waits)
        return __atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != HD_OUTSIDE;
    return __atomic_load_n(&t->handlers, __ATOMIC_ACQUIRE) != handlers;
}

static void wait_for_answer(struct hd_thread *t, int number, uint32_t handlers)
{
    bool waits = hd_away_for_signal(t, number);
    if (!waits && (t->state == HD_OUTSIDE || !hd_signal_has_handler(number)))
        return;
    for (int tries = 0; tries < ANSWER_TRIES && !has_answered(t, handlers, waits); tries++) {
        struct timespec pause = { 0, tries < 20 ? 0 : 500000 };
        syscall(SYS_nanosleep, &pause, NULL);
    }
}

HD_EXPORT int pthread_kill(pthread_t handle, int number)
{
    struct hd_thread *self = hd_recorder(), *target = self ? hd_thread_of(handle) : NULL;
    uint32_t handlers = target ? target->handlers : 0;
    if (self)
        hd_access_interval(self);
    hd_raises = true;
    int error = HD_REAL(pthread_kill)(handle, number), saved = errno;
    hd_raises = false;
    if (!error && number && target && target != self && target->state != HD_ENDED)
        wait_for_answer(target, number, handlers);
    errno = saved;
    return error;
}

/* Criterion's processes stop themselves until they are continued. A debugger passes the stop on and lets them run; the
 * SIGCONT that comes later would take from it the stop with which a new thread begins, and it would wait for that for
 * ever. So the SIGCONT is waited for. */
static bool stops_under_debugger(int number)
{
    return number == SIGSTOP && hd_run.shared && hd_run.shared->debugged && !hd_run.recording;
}

static int stop_self(void)
{
    sigset_t continued, old;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &continued, &old, _NSIG / 8);
    int result = (int)syscall(SYS_kill, getpid(), SIGSTOP), saved = errno;
    while (!result && syscall(SYS_rt_sigtimedwait, &continued, NULL, NULL, _NSIG / 8) == -1 && errno == EINTR)
        ;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, _NSIG / 8);
    errno = saved;
    return result;
}

HD_EXPORT int raise(int number)
{
    if (stops_under_debugger(number))
        return stop_self();
    hd_raises = true;
    int result = HD_REAL(raise)(number);
    hd_raises = false;
    return result;
}

/* To the process: who waits for it in sigwait() gets it. */
HD_EXPORT int kill(pid_t pid, int number)
{
    struct hd_thread *self = hd_recorder();
    if (pid == getpid() && stops_under_debugger(number))
        return stop_self();
    if (self)
        hd_access_interval(self);
    hd_raises = true;
    int result = HD_REAL(kill)(pid, number), saved = errno;
    hd_raises = false;
    for (uint32_t i = 0; self && !result && number && pid == getpid() && i < hd_run.threads; i++) {
        struct hd_thread *t = hd_run.thread[i];
        if (t == self || !hd_away_for_signal(t, number))
            continue;
        wait_for_answer(t, number, t->handlers);
        break;
    }
    errno = saved;
    return result;
}
