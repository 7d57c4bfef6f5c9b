/* SPDX-License-Identifier: Apache-2.0
 * Handlers: at a known place (raise), in a thread that waits (pthread_kill), and
 * a storm of timer signals while everything is busy:  signals raise|parked|storm|actions|jump */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long handled, in_handler, work[64], total;
volatile sig_atomic_t ticks;

static void inner(long by)
{
    handled += by;
}

static void on_user(int signal)
{
    inner(signal == SIGUSR1 ? 1 : 100);
    errno = 77;
}

static void on_info(int signal, siginfo_t *info, void *context)
{
    (void)context;
    in_handler = info->si_signo == signal;
}

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
    for (int i = 0; i < 64; i++)
        in_handler += work[i];
}

static void *wait_for_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *nothing(void *unused)
{
    return unused;
}

/* Under run-until-blocked, the first thread waits for the lock when the second is joined. */
static int parked(void)
{
    pthread_t thread, second;
    signal(SIGUSR1, on_user);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, wait_for_lock, NULL);
    pthread_create(&second, NULL, nothing, NULL);
    pthread_join(second, NULL);
    pthread_kill(thread, SIGUSR1);
    while (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) == 0)
        ;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return handled == 1 && total == 1 ? 0 : 1;
}

static void *busy(void *unused)
{
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 64; i++)
            work[i] = round;
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static int storm(void)
{
    pthread_t thread[3];
    struct sigaction action = { .sa_flags = SA_RESTART };
    action.sa_handler = on_tick;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, busy, NULL);
    busy(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    return total == 4000 && ticks > 0 ? 0 : 1;
}

static int raises(void)
{
    signal(SIGUSR1, on_user);
    signal(SIGUSR2, on_user);
    errno = 5;
    raise(SIGUSR1);
    raise(SIGUSR2);
    return handled == 101 ? 0 : 1;
}

/* What sigaction says about earlier actions is what was set. */
static int actions(void)
{
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESETHAND }, before;
    action.sa_sigaction = on_info;
    if (signal(SIGUSR1, on_user) != SIG_DFL || sigaction(SIGUSR1, &action, &before) != 0)
        return 1;
    if (before.sa_handler != on_user || (before.sa_flags & SA_SIGINFO) || !(before.sa_flags & SA_RESTART))
        return 2;
    if (sigaction(SIGUSR1, NULL, &before) != 0 || before.sa_sigaction != on_info || !(before.sa_flags & SA_RESETHAND))
        return 3;
    raise(SIGUSR1);
    if (!in_handler || sigaction(SIGUSR1, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return 4;
    errno = 0;
    if (sigaction(SIGKILL, &action, NULL) != -1 || errno != EINVAL || signal(1000, on_user) != SIG_ERR)
        return 5;
    return signal(SIGUSR2, SIG_IGN) == SIG_DFL && signal(SIGUSR2, on_user) == SIG_IGN ? 0 : 6;
}

static sigjmp_buf gave_up;
static int let_go, taken;

static void give_up(int signal)
{
    (void)signal;
    siglongjmp(gave_up, 1);
}

static void *keep_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&taken, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&let_go, __ATOMIC_SEQ_CST))
        ;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* A wait for a lock that a timer ends, by jumping out of its handler. */
static int jumps(void)
{
    pthread_t thread;
    signal(SIGALRM, give_up);
    pthread_create(&thread, NULL, keep_lock, NULL);
    while (!__atomic_load_n(&taken, __ATOMIC_SEQ_CST))
        ;
    if (sigsetjmp(gave_up, 1) == 0) {
        struct itimerval once = { { 0, 0 }, { 0, 20000 } };
        setitimer(ITIMER_REAL, &once, NULL);
        pthread_mutex_lock(&lock);
        return 1;
    }
    total = 5;
    __atomic_store_n(&let_go, 1, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return total == 6 ? 0 : 2;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "raise";
    if (strcmp(how, "parked") == 0)
        return parked();
    if (strcmp(how, "jump") == 0)
        return jumps();
    if (strcmp(how, "storm") == 0)
        return storm();
    return strcmp(how, "actions") == 0 ? actions() : raises();
}
