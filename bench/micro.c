/* SPDX-License-Identifier: Apache-2.0
 * micro lock | first | switch | futex: nanoseconds of one uncontended lock and
 * unlock, of one among the first of a test, of one switch between two threads that
 * hand each other mutexes, and of one half of a ping-pong over two futexes. */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOCKS = 300000, FIRST = 15000, TURNS = 20000 }; /* LOCKS: what a start costs weighs little */

static pthread_mutex_t mutex[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static _Atomic uint32_t turn, holds;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void lock_pairs(int count)
{
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&mutex[0]);
        pthread_mutex_unlock(&mutex[0]);
    }
}

/* libc locks without an atomic instruction while there is one thread, and no test of threads is such: another waits. */
static void *hold_on(void *unused)
{
    pthread_mutex_lock(&mutex[1]);
    pthread_mutex_unlock(&mutex[1]);
    return unused;
}

static double lock_time(int count)
{
    pthread_t other;
    pthread_mutex_lock(&mutex[1]);
    pthread_create(&other, NULL, hold_on, NULL);
    sched_yield();
    double start = now();
    lock_pairs(count);
    double time = now() - start;
    pthread_mutex_unlock(&mutex[1]);
    pthread_join(other, NULL);
    return time / count;
}

/* Each holds one mutex and waits for the one the other will let go of next. */
static void rotate(int at)
{
    pthread_mutex_lock(&mutex[at]);
    atomic_fetch_add(&holds, 1);
    while (atomic_load(&holds) < 2)
        ;
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&mutex[(at + 1) % 3]);
        pthread_mutex_unlock(&mutex[at]);
        at = (at + 1) % 3;
    }
    pthread_mutex_unlock(&mutex[at]);
}

static void *rotate_other(void *unused)
{
    rotate(1);
    return unused;
}

static void bounce(uint32_t me)
{
    for (int i = 0; i < TURNS; i++) {
        for (uint32_t seen; (seen = atomic_load(&turn)) != me;)
            syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        atomic_store(&turn, 1 - me);
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void *bounce_other(void *unused)
{
    bounce(1);
    return unused;
}

static void both(void *(*other)(void *), void (*mine)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    mine();
    pthread_join(thread, NULL);
}

static void rotate_mine(void) { rotate(0); }
static void bounce_mine(void) { bounce(0); }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    double start = now(), count = 2.0 * TURNS;
    if (strcmp(what, "lock") == 0 || strcmp(what, "first") == 0) {
        printf("%.1f\n", lock_time(*what == 'l' ? LOCKS : FIRST));
        return 0;
    }
    if (strcmp(what, "switch") == 0)
        both(rotate_other, rotate_mine);
    else if (strcmp(what, "futex") == 0)
        both(bounce_other, bounce_mine);
    else
        return 2;
    printf("%.1f\n", (now() - start) / count);
    return 0;
}
