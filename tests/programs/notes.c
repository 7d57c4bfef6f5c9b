/* SPDX-License-Identifier: Apache-2.0
 * What runtimes like this one get wrong first; see tests/runtime_notes.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sem_t posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int order[64], places, result_of_thread = 5;
static volatile sig_atomic_t stops;
static atomic_int number = 1;

static void put(int what)
{
    pthread_mutex_lock(&mutex);
    order[places++] = what;
    pthread_mutex_unlock(&mutex);
}

/* 2: what the library itself stores for the user. */
static void *returns(void *unused)
{
    (void)unused;
    return &result_of_thread;
}

static int expected, handle_seen;
static void *result;
static pthread_t handle;

static int out_parameters(void)
{
    expected = 7;
    if (atomic_compare_exchange_strong(&number, &expected, 9) || expected != 1)
        return 1;
    pthread_create(&handle, NULL, returns, NULL);
    handle_seen = handle != 0;
    pthread_join(handle, &result);
    return result != &result_of_thread || !handle_seen;
}

/* 7: a crash is in the user's code. */
static void on_crash(int signal, siginfo_t *info, void *context)
{
    Dl_info where = { 0 };
    (void)signal;
    (void)info;
#ifdef __x86_64__
    dladdr((void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], &where);
#else
    (void)context;
#endif
    _exit(where.dli_fname && strstr(where.dli_fname, "libheddle") ? 1 : 0);
}

static int crashes(const char *how)
{
    struct sigaction action = { .sa_flags = SA_SIGINFO };
    action.sa_sigaction = on_crash;
    sigaction(SIGSEGV, &action, NULL);
    int *volatile nowhere = (int *)8;
    if (*how == 'r')
        return *nowhere;
    *nowhere = 1;
    return 2;
}

/* 13: the only one who could run is a handler that has not come yet. */
static void post_it(int signal)
{
    (void)signal;
    if (++stops == 2)
        sem_post(&posted);
}

static int handler_posts(void)
{
    struct itimerval soon = { { 0, 30000 }, { 0, 30000 } };
    sem_init(&posted, 0, 0);
    signal(SIGALRM, post_it);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (sem_wait(&posted) != 0)
        if (errno != EINTR)
            return 1;
    return stops < 2;
}

/* 15: who sends a signal and who waits for it. */
static void *waits_for_signals(void *which)
{
    sigset_t set;
    int got;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    for (int i = 0; i < 4; i++)
        if (sigwait(&set, &got) == 0)
            put(*(int *)which * 100 + got);
    return NULL;
}

static int signals(void)
{
    static int which[2] = { 1, 2 };
    pthread_t thread[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, waits_for_signals, &which[i]);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            pthread_kill(thread[k], i % 2 ? SIGUSR1 : SIGUSR2);
            put(i);
        }
        usleep(1000);
    }
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return places != 16;
}

/* 16: destroyed by the first to leave. */
static void *meets(void *unused)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        pthread_barrier_destroy(&barrier);
    return unused;
}

static int destroys_barrier(void)
{
    pthread_t thread[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, meets, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* 10: a thread that nobody was seen creating runs the user's code. */
static int touched;

static void on_timer(union sigval value)
{
    touched++;
    sem_post(value.sival_ptr);
}

static int unknown_thread(void)
{
    timer_t timer;
    struct itimerspec soon = { { 0, 0 }, { 0, 5000000 } };
    struct sigevent event = { .sigev_notify = SIGEV_THREAD };
    event.sigev_notify_function = on_timer;
    event.sigev_value.sival_ptr = &posted;
    sem_init(&posted, 0, 0);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &soon, NULL) != 0)
        return 1;
    while (sem_wait(&posted) != 0)
        ;
    put(1);
    return touched != 1;
}

/* 17: a helper thread must not take the user's signals. */
static void *takes_none(void *unused)
{
    return unused;
}

static void note_thread(int signal)
{
    (void)signal;
    stops = gettid() == getpid() ? 1 : 2;
}

static int helper_signals(void)
{
    pthread_t thread;
    signal(SIGUSR1, note_thread);
    pthread_create(&thread, NULL, takes_none, NULL);
    pthread_join(thread, NULL);
    errno = 44;
    free(malloc(100));
    sched_yield();
    if (errno != 44)
        return 1;
    kill(getpid(), SIGUSR1);
    while (!stops)
        ;
    return stops != 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "out_parameters") == 0)
        return out_parameters();
    if (strcmp(how, "crash") == 0)
        return crashes(argc > 2 ? argv[2] : "read");
    if (strcmp(how, "handler_posts") == 0)
        return handler_posts();
    if (strcmp(how, "signals") == 0)
        return signals();
    if (strcmp(how, "destroys_barrier") == 0)
        return destroys_barrier();
    if (strcmp(how, "unknown_thread") == 0)
        return unknown_thread();
    return strcmp(how, "helper_signals") == 0 ? helper_signals() : 99;
}
