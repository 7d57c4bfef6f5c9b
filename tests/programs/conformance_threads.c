/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "conformance.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const struct timespec past = { 1, 0 }, wrong = { 1, 2000000000 }, no_time = { 0, 1 };

static void mutex_of(int type, pthread_mutex_t *m)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutex_init(m, &attr);
}

static void mutexes(void)
{
    pthread_mutex_t m;
    R(pthread_mutex_init(&m, NULL));
    R(pthread_mutex_lock(&m));
    R(pthread_mutex_trylock(&m));
    R(pthread_mutex_timedlock(&m, &past));
    R(pthread_mutex_timedlock(&m, &wrong));
    R(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
    R(pthread_mutex_clocklock(&m, 99, &past));
    R(pthread_mutex_destroy(&m));
    R(pthread_mutex_unlock(&m));
    R(pthread_mutex_timedlock(&m, &wrong));
    R(pthread_mutex_unlock(&m));
    R(pthread_mutex_clocklock(&m, CLOCK_REALTIME, &past));
    R(pthread_mutex_unlock(&m));
    R(pthread_mutex_destroy(&m));
    mutex_of(PTHREAD_MUTEX_ERRORCHECK, &m);
    R(pthread_mutex_unlock(&m));
    R(pthread_mutex_lock(&m));
    R(pthread_mutex_lock(&m));
    R(pthread_mutex_timedlock(&m, &past));
    R(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
    R(pthread_mutex_trylock(&m));
    R(pthread_mutex_unlock(&m));
    mutex_of(PTHREAD_MUTEX_RECURSIVE, &m);
    R(pthread_mutex_lock(&m));
    R(pthread_mutex_trylock(&m));
    R(pthread_mutex_timedlock(&m, &past));
    R(pthread_mutex_unlock(&m));
    R(pthread_mutex_unlock(&m));
    R(pthread_mutex_unlock(&m));
    R(pthread_mutex_unlock(&m));
}

static void spins(void)
{
    pthread_spinlock_t s;
    R(pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE));
    R(pthread_spin_lock(&s));
    R(pthread_spin_trylock(&s));
    R(pthread_spin_unlock(&s));
    R(pthread_spin_trylock(&s));
    R(pthread_spin_unlock(&s));
    R(pthread_spin_destroy(&s));
}

static void rwlocks(void)
{
    pthread_rwlock_t l;
    R(pthread_rwlock_init(&l, NULL));
    R(pthread_rwlock_rdlock(&l));
    R(pthread_rwlock_tryrdlock(&l));
    R(pthread_rwlock_trywrlock(&l));
    R(pthread_rwlock_timedwrlock(&l, &past));
    R(pthread_rwlock_timedwrlock(&l, &wrong));
    R(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &past));
    R(pthread_rwlock_timedrdlock(&l, &past));
    R(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &past));
    R(pthread_rwlock_clockrdlock(&l, 99, &past));
    R(pthread_rwlock_unlock(&l));
    R(pthread_rwlock_unlock(&l));
    R(pthread_rwlock_unlock(&l));
    R(pthread_rwlock_unlock(&l));
    R(pthread_rwlock_wrlock(&l));
    R(pthread_rwlock_wrlock(&l));
    R(pthread_rwlock_rdlock(&l));
    R(pthread_rwlock_timedrdlock(&l, &past));
    R(pthread_rwlock_timedwrlock(&l, &past));
    R(pthread_rwlock_tryrdlock(&l));
    R(pthread_rwlock_unlock(&l));
    R(pthread_rwlock_destroy(&l));
}

static void conditions(void)
{
    pthread_cond_t c;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, checked;
    R(pthread_cond_init(&c, NULL));
    R(pthread_cond_signal(&c));
    R(pthread_cond_broadcast(&c));
    pthread_mutex_lock(&m);
    R(pthread_cond_timedwait(&c, &m, &past));
    R(pthread_cond_timedwait(&c, &m, &wrong));
    R(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past));
    R(pthread_cond_clockwait(&c, &m, 99, &past));
    R(pthread_mutex_unlock(&m));
    mutex_of(PTHREAD_MUTEX_ERRORCHECK, &checked);
    R(pthread_cond_wait(&c, &checked));
    R(pthread_cond_timedwait(&c, &checked, &past));
    R(pthread_cond_destroy(&c));
}

/* What a cancelled wait holds in its cleanup handlers is the mutex. */
static void unlock(void *m) { pthread_mutex_unlock(m); }

static void wait_on(int how)
{
    static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    static pthread_mutex_t m;
    mutex_of(PTHREAD_MUTEX_ERRORCHECK, &m);
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    if (how == 0)
        R(pthread_cond_timedwait(&c, &m, &past));
    else
        R(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past));
    pthread_cleanup_pop(1);
}

static void timed_wait(void) { wait_on(0); }
static void clock_wait(void) { wait_on(1); }

static void barriers(void)
{
    pthread_barrier_t b;
    R(pthread_barrier_init(&b, NULL, 0));
    R(pthread_barrier_init(&b, NULL, 1));
    R(pthread_barrier_wait(&b));
    R(pthread_barrier_wait(&b));
    R(pthread_barrier_destroy(&b));
}

static void nothing(void) { }

static void onces(void)
{
    static pthread_once_t o;
    o = (pthread_once_t)PTHREAD_ONCE_INIT;
    R(pthread_once(&o, nothing));
    R(pthread_once(&o, nothing));
}

static void semaphores(void)
{
    sem_t s;
    R(sem_init(&s, 0, (unsigned)INT_MAX + 1u));
    R(sem_init(&s, 0, INT_MAX));
    R(sem_post(&s));
    R(sem_init(&s, 0, 2));
    R(sem_trywait(&s));
    R(sem_trywait(&s));
    R(sem_trywait(&s));
    R(sem_post(&s));
    R(sem_destroy(&s));
}

static sem_t one;
static void wait_semaphore(void) { sem_init(&one, 0, 1); R(sem_wait(&one)); }
static void timedwait_semaphore(void) { sem_init(&one, 0, 0); R(sem_timedwait(&one, &past)); R(sem_timedwait(&one, &wrong)); }
static void clockwait_semaphore(void)
{
    sem_init(&one, 0, 0);
    R(sem_clockwait(&one, CLOCK_MONOTONIC, &past));
    R(sem_clockwait(&one, 99, &past));
}

/* Each has its own: one that a cancelled case leaves behind must not take what is posted for another. */
static sem_t holds[16];
static unsigned holders;
#define hold holds[holders]

static void *held(void *p)
{
    while (sem_wait(p) != 0)
        ;
    return p;
}

static pthread_t start_held(void)
{
    pthread_t t;
    sem_init(&holds[++holders], 0, 0);
    pthread_create(&t, NULL, held, &hold);
    return t;
}

static void joins(void)
{
    pthread_t t = start_held();
    void *result = NULL;
    R(pthread_tryjoin_np(t, &result));
    R(pthread_timedjoin_np(t, &result, &past));
    R(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &past));
    R(pthread_clockjoin_np(t, &result, 99, &past));
    R(pthread_join(pthread_self(), NULL));
    sem_post(&hold);
    R(pthread_join(t, &result));
    R(result == &hold);
    t = start_held();
    R(pthread_detach(t));
    R(pthread_join(t, NULL));
    R(pthread_detach(t));
    sem_post(&hold);
    t = start_held();
    R(pthread_cancel(t));
    R(pthread_join(t, &result));
    R(result == PTHREAD_CANCELED);
}

/* Left alone where the join is cancelled: detached by nobody, but it ends. */
static void post(void *unused) { (void)unused; sem_post(&hold); }

static void join_running(void)
{
    pthread_t t = start_held();
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 20000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    pthread_cleanup_push(post, NULL);
    R(pthread_timedjoin_np(t, NULL, &soon));
    pthread_cleanup_pop(1);
    R(pthread_join(t, NULL));
}

static int c11_start(void *p) { return p ? 3 : 4; }
static once_flag flag = ONCE_FLAG_INIT;

static void c11(void)
{
    thrd_t t;
    mtx_t m;
    cnd_t c;
    int result = 0;
    R(thrd_create(&t, c11_start, &t));
    R(thrd_join(t, &result));
    R(result);
    R(thrd_create(&t, c11_start, NULL));
    R(thrd_detach(t));
    R(mtx_init(&m, mtx_timed));
    R(mtx_init(&m, 77));
    R(mtx_init(&m, mtx_timed));
    R(mtx_lock(&m));
    R(mtx_trylock(&m));
    R(mtx_timedlock(&m, &past));
    R(cnd_init(&c));
    R(cnd_signal(&c));
    R(cnd_broadcast(&c));
    R(cnd_timedwait(&c, &m, &past));
    R(mtx_unlock(&m));
    cnd_destroy(&c);
    mtx_destroy(&m);
    call_once(&flag, nothing);
    thrd_yield();
    R(mtx_init(&m, mtx_plain | mtx_recursive));
    R(mtx_lock(&m));
    R(mtx_trylock(&m));
    R(mtx_unlock(&m));
    R(mtx_unlock(&m));
}

static void c11_sleep(void) { R(thrd_sleep(&no_time, NULL)); R(thrd_sleep(&wrong, NULL)); }

/* ------------------------------------------------------------ time and signals */

static void yields(void) { R(sched_yield()); }
static void sleeps(void) { R(sleep(0)); }
static void usleeps(void) { R(usleep(1)); }
static void nanosleeps(void)
{
    struct timespec left = { 5, 5 };
    R(nanosleep(&no_time, &left));
    R(left.tv_sec);
    R(nanosleep(&wrong, &left));
}

static void clock_nanosleeps(void)
{
    R(clock_nanosleep(CLOCK_MONOTONIC, 0, &no_time, NULL));
    R(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
    R(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL));
    R(clock_nanosleep(99, 0, &no_time, NULL));
    R(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &no_time, NULL));
}

static void clocks(void)
{
    struct timespec t;
    struct timeval v;
    time_t out;
    R(clock_gettime(CLOCK_REALTIME, &t));
    R(clock_gettime(99, &t));
    R(gettimeofday(&v, NULL));
    R(time(&out) == out);
    R(time(NULL) > 1);
}

static volatile sig_atomic_t handled;
static void on_signal(int number) { handled = number; }
static void on_info(int number, siginfo_t *info, void *context) { handled = number + (info && context ? 1000 : 0); }

static void handlers(void)
{
    struct sigaction action = { .sa_flags = SA_SIGINFO }, old;
    action.sa_sigaction = on_info;
    R(signal(SIGUSR1, on_signal) == SIG_DFL);
    R(raise(SIGUSR1));
    R(handled == SIGUSR1);
    R(sigaction(SIGUSR1, &action, &old));
    R(old.sa_handler == on_signal);
    R(raise(SIGUSR1));
    R(handled == SIGUSR1 + 1000);
    R(sigaction(SIGKILL, &action, NULL));
    R(sigaction(1000, &action, NULL));
    R(signal(SIGKILL, on_signal) == SIG_ERR);
    R(signal(SIGUSR1, SIG_DFL) != SIG_ERR);
    R(__sysv_signal(SIGUSR2, on_signal) == SIG_DFL);
    R(raise(SIGUSR2));
    R(__sysv_signal(SIGUSR2, SIG_DFL) == SIG_DFL);
}

static void kills(void)
{
    R(pthread_kill(pthread_self(), 0));
    R(pthread_kill(pthread_self(), 999));
    R(kill(getpid(), 0));
    R(kill(getpid(), 999));
    R(kill(0x7ffffff0, 0));
}

static sigset_t blocked_and_raised(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, before);
    raise(SIGUSR1);
    return set;
}

static void suspends(void)
{
    sigset_t before;
    signal(SIGUSR1, on_signal);
    blocked_and_raised(&before);
    R(sigsuspend(&before));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void waits(void)
{
    sigset_t before, set = blocked_and_raised(&before);
    int got = 0;
    R(sigwait(&set, &got));
    R(got);
}

static void wait_infos(void)
{
    siginfo_t info = { .si_signo = 0 };
    sigset_t before, set = blocked_and_raised(&before);
    R(sigwaitinfo(&set, &info));
    R(info.si_signo);
}

static void timed_signals(void)
{
    siginfo_t info;
    sigset_t before, set = blocked_and_raised(&before);
    R(sigtimedwait(&set, &info, &no_time));
    R(sigtimedwait(&set, &info, &no_time));
    R(sigtimedwait(&set, NULL, &wrong));
}

static void pauses(void)
{
    struct itimerval soon = { { 0, 5000 }, { 0, 5000 } }, never = { { 0, 0 }, { 0, 0 } };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    signal(SIGALRM, on_signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    R(pause());
    setitimer(ITIMER_REAL, &never, NULL);
}

const struct conformance_case threads_cases[] = {
    { "mutex", mutexes }, { "spin", spins }, { "rwlock", rwlocks }, { "cond", conditions },
    { "timedwait", timed_wait }, { "clockwait", clock_wait }, { "barrier", barriers }, { "once", onces },
    { "semaphore", semaphores }, { "sem_wait", wait_semaphore }, { "sem_timedwait", timedwait_semaphore },
    { "sem_clockwait", clockwait_semaphore }, { "join", joins }, { "join_running", join_running }, { "c11", c11 },
    { "thrd_sleep", c11_sleep }, { "yield", yields }, { "sleep", sleeps }, { "usleep", usleeps },
    { "nanosleep", nanosleeps }, { "clock_nanosleep", clock_nanosleeps }, { "clocks", clocks },
    { "handlers", handlers }, { "kill", kills }, { "sigsuspend", suspends }, { "sigwait", waits }, { "sigwaitinfo", wait_infos },
    { "sigtimedwait", timed_signals }, { "pause", pauses }, { NULL, NULL },
};
