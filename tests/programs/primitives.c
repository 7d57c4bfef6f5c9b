/* SPDX-License-Identifier: Apache-2.0
 * One case a primitive; each checks the primitive's own promises and exits 0 where they hold. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#define CHECK(x)                                                                                     \
    do {                                                                                             \
        if (!(x)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                  \
            exit(9);                                                                                 \
        }                                                                                            \
    } while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
long shared;

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static pthread_t start(void *(*f)(void *), void *argument)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, f, argument) == 0);
    return t;
}

static void finish(pthread_t t)
{
    CHECK(pthread_join(t, NULL) == 0);
}

/* ------------------------------------------------------------ mutexes */

static void *holds_mutex(void *unused)
{
    pthread_mutex_lock(&mutex);
    sem_post(&semaphore);
    usleep(50000);
    shared++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void mutexes(void)
{
    sem_init(&semaphore, 0, 0);
    pthread_t t = start(holds_mutex, NULL);
    sem_wait(&semaphore);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    struct timespec soon = in_ms(CLOCK_REALTIME, 1), mono = in_ms(CLOCK_MONOTONIC, 1);
    CHECK(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
    CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &mono) == ETIMEDOUT);
    struct timespec late = in_ms(CLOCK_REALTIME, 5000);
    CHECK(pthread_mutex_timedlock(&mutex, &late) == 0);
    CHECK(shared == 1);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    finish(t);
}

static void mutex_types(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t m;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    CHECK(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == 0 && pthread_mutex_trylock(&m) == 0);
    CHECK(pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
    CHECK(pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_destroy(&m);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    CHECK(pthread_mutex_lock(&m) == 0);
    CHECK(pthread_mutex_lock(&m) == EDEADLK);
    CHECK(pthread_mutex_trylock(&m) == EBUSY);
    CHECK(pthread_mutex_unlock(&m) == 0);
    CHECK(pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_destroy(&m);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&m, &attr);
    CHECK(pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
    pthread_mutex_destroy(&m);
}

static pthread_mutex_t robust;

static void *dies_holding(void *unused)
{
    pthread_mutex_lock(&robust);
    return unused;
}

static void robust_mutex(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attr);
    finish(start(dies_holding, NULL));
    CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&robust) == 0);
    CHECK(pthread_mutex_unlock(&robust) == 0);
    CHECK(pthread_mutex_lock(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
}

static void *spins(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_spin_lock(&spin);
        shared++;
        sched_yield();
        pthread_spin_unlock(&spin);
    }
    return unused;
}

static void spinlocks(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_t a = start(spins, NULL), b = start(spins, NULL);
    finish(a);
    finish(b);
    CHECK(pthread_spin_trylock(&spin) == 0);
    CHECK(pthread_spin_trylock(&spin) == EBUSY);
    pthread_spin_unlock(&spin);
    pthread_spin_destroy(&spin);
    CHECK(shared == 6);
}

/* ------------------------------------------------------------ rwlocks */

static void *reads(void *unused)
{
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
    long seen = shared;
    sched_yield();
    CHECK(seen == shared);
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    return unused;
}

static void *writes(void *unused)
{
    CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
    shared++;
    sched_yield();
    shared++;
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    return unused;
}

static void *tries(void *unused)
{
    struct timespec soon = in_ms(CLOCK_REALTIME, 1), mono = in_ms(CLOCK_MONOTONIC, 1);
    CHECK(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
    CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
    CHECK(pthread_rwlock_timedrdlock(&rwlock, &soon) == ETIMEDOUT);
    CHECK(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &mono) == ETIMEDOUT);
    return unused;
}

static void rwlocks(void)
{
    pthread_t t[4] = { start(reads, NULL), start(writes, NULL), start(reads, NULL), start(writes, NULL) };
    for (int i = 0; i < 4; i++)
        finish(t[i]);
    CHECK(shared == 4);
    CHECK(pthread_rwlock_tryrdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
    CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
    CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    CHECK(pthread_rwlock_trywrlock(&rwlock) == 0);
    CHECK(pthread_rwlock_rdlock(&rwlock) == EDEADLK);
    CHECK(pthread_rwlock_wrlock(&rwlock) == EDEADLK);
    finish(start(tries, NULL));
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
}

/* ------------------------------------------------------------ conditions */

static int ready, taken;

static void *consumes(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        CHECK(pthread_cond_wait(&cond, &mutex) == 0);
    ready--;
    taken++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void conditions(void)
{
    pthread_t t[3] = { start(consumes, NULL), start(consumes, NULL), start(consumes, NULL) };
    sched_yield();
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    sched_yield();
    pthread_mutex_lock(&mutex);
    ready += 2;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    CHECK(taken == 3 && ready == 0);
    struct timespec soon = in_ms(CLOCK_REALTIME, 2), mono = in_ms(CLOCK_MONOTONIC, 2);
    pthread_mutex_lock(&mutex);
    CHECK(pthread_cond_timedwait(&cond, &mutex, &soon) == ETIMEDOUT);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &mono) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_condattr_t attr;
    pthread_cond_t monotonic;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&monotonic, &attr);
    mono = in_ms(CLOCK_MONOTONIC, 2);
    pthread_mutex_lock(&mutex);
    CHECK(pthread_cond_timedwait(&monotonic, &mutex, &mono) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&monotonic);
}

/* ------------------------------------------------------------ barriers, once, keys */

static atomic_int serials, arrived;

static void *meets(void *unused)
{
    for (int round = 1; round <= 3; round++) {
        arrived++;
        int result = pthread_barrier_wait(&barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        CHECK(arrived >= 3 * round);
        serials += result == PTHREAD_BARRIER_SERIAL_THREAD;
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void barriers(void)
{
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_t t[3] = { start(meets, NULL), start(meets, NULL), start(meets, NULL) };
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    CHECK(pthread_barrier_destroy(&barrier) == 0);
    CHECK(serials == 3 && arrived == 9);
}

static void initialise(void)
{
    shared++;
    sched_yield();
    shared++;
}

static void *calls_once(void *unused)
{
    pthread_once(&once, initialise);
    CHECK(shared == 2);
    return unused;
}

static void onces(void)
{
    pthread_t a = start(calls_once, NULL), b = start(calls_once, NULL);
    finish(a);
    finish(b);
}

static pthread_key_t key;

static void destructor(void *value)
{
    pthread_mutex_lock(&mutex);
    *(long *)value += 1;
    pthread_mutex_unlock(&mutex);
}

static void *has_key(void *value)
{
    pthread_setspecific(key, value);
    return NULL;
}

static void keys(void)
{
    pthread_key_create(&key, destructor);
    finish(start(has_key, &shared));
    CHECK(shared == 1);
}

/* ------------------------------------------------------------ semaphores */

static void *posts(void *s)
{
    shared = 7;
    CHECK(sem_post(s) == 0);
    return NULL;
}

static void semaphores(void)
{
    sem_init(&semaphore, 0, 1);
    CHECK(sem_wait(&semaphore) == 0);
    errno = 0;
    CHECK(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    struct timespec soon = in_ms(CLOCK_REALTIME, 1), mono = in_ms(CLOCK_MONOTONIC, 1);
    CHECK(sem_timedwait(&semaphore, &soon) == -1 && errno == ETIMEDOUT);
    CHECK(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &mono) == -1 && errno == ETIMEDOUT);
    pthread_t t = start(posts, &semaphore);
    CHECK(sem_wait(&semaphore) == 0);
    CHECK(shared == 7);
    finish(t);
    sem_destroy(&semaphore);
    char name[64];
    snprintf(name, sizeof name, "/heddle-test-%08d", (int)getpid());
    sem_t *named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    CHECK(named != SEM_FAILED);
    sem_unlink(name);
    t = start(posts, named);
    CHECK(sem_wait(named) == 0);
    finish(t);
    sem_close(named);
}

/* ------------------------------------------------------------ threads */

static void *returns(void *value)
{
    return value;
}

static void *exits(void *value)
{
    pthread_exit(value);
}

static void *naps(void *value)
{
    usleep(20000);
    return value;
}

static void cleans(void *value)
{
    *(long *)value += 10;
}

static void *waits_forever(void *value)
{
    pthread_cleanup_push(cleans, value);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &mutex);
    sem_post(&semaphore);
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void joins(void)
{
    void *result = NULL;
    CHECK(pthread_join(start(returns, &shared), &result) == 0 && result == &shared);
    CHECK(pthread_join(start(exits, &shared), &result) == 0 && result == &shared);
    pthread_t t = start(naps, &shared);
    CHECK(pthread_tryjoin_np(t, &result) == EBUSY);
    struct timespec soon = in_ms(CLOCK_REALTIME, 1), mono = in_ms(CLOCK_MONOTONIC, 1);
    CHECK(pthread_timedjoin_np(t, &result, &soon) == ETIMEDOUT);
    CHECK(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &mono) == ETIMEDOUT);
    struct timespec late = in_ms(CLOCK_REALTIME, 5000);
    CHECK(pthread_timedjoin_np(t, &result, &late) == 0 && result == &shared);
    CHECK(pthread_join(pthread_self(), &result) == EDEADLK);
}

static void cancels(void)
{
    void *result;
    sem_init(&semaphore, 0, 0);
    pthread_t t = start(waits_forever, &shared);
    sem_wait(&semaphore);
    CHECK(pthread_cancel(t) == 0);
    CHECK(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(shared == 10);
    CHECK(pthread_mutex_trylock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
}

static void *sleeps_long(void *value)
{
    pthread_cleanup_push(cleans, value);
    sleep(1000);
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancels_sleep(void)
{
    void *result;
    pthread_t t = start(sleeps_long, &shared);
    sched_yield();
    CHECK(pthread_cancel(t) == 0);
    CHECK(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(shared == 10);
}

static void *late_worker(void *unused)
{
    shared = 5;
    return unused;
}

static void detached(void)
{
    CHECK(pthread_detach(start(late_worker, NULL)) == 0);
}

/* ------------------------------------------------------------ C11 */

static mtx_t mtx;
static cnd_t cnd;
static once_flag flag = ONCE_FLAG_INIT;
static int c11_ready;

static int c11_worker(void *value)
{
    call_once(&flag, initialise);
    mtx_lock(&mtx);
    while (!c11_ready)
        cnd_wait(&cnd, &mtx);
    mtx_unlock(&mtx);
    return (int)*(long *)value + 40;
}

static void c11(void)
{
    thrd_t a, b;
    int ra = 0, rb = 0;
    CHECK(mtx_init(&mtx, mtx_timed) == thrd_success && cnd_init(&cnd) == thrd_success);
    CHECK(thrd_create(&a, c11_worker, &shared) == thrd_success);
    CHECK(thrd_create(&b, c11_worker, &shared) == thrd_success);
    thrd_yield();
    mtx_lock(&mtx);
    CHECK(mtx_trylock(&mtx) == thrd_busy);
    struct timespec soon = in_ms(CLOCK_REALTIME, 1);
    CHECK(cnd_timedwait(&cnd, &mtx, &soon) == thrd_timedout);
    c11_ready = 1;
    cnd_broadcast(&cnd);
    mtx_unlock(&mtx);
    CHECK(thrd_join(a, &ra) == thrd_success && thrd_join(b, &rb) == thrd_success);
    CHECK(ra == 42 && rb == 42);
    thrd_sleep(&(struct timespec){ 0, 1000 }, NULL);
    mtx_destroy(&mtx);
    cnd_destroy(&cnd);
}

/* ------------------------------------------------------------ atomics */

static atomic_int turn, stop;
static _Atomic unsigned char a8;
static _Atomic unsigned short a16;
static _Atomic unsigned a32;
static _Atomic unsigned long a64;

static void *plays(void *argument)
{
    int me = *(int *)argument;
    for (int i = 0; i < 5; i++) {
        while (atomic_load(&turn) != me)
            ;
        shared++;
        atomic_store(&turn, !me);
    }
    return NULL;
}

static void spinning(void)
{
    int zero = 0, one = 1;
    pthread_t a = start(plays, &zero), b = start(plays, &one);
    finish(a);
    finish(b);
    CHECK(shared == 10);
}

static void *waits_stop(void *unused)
{
    long rounds = 0;
    while (!atomic_load(&stop))
        rounds++;
    return unused;
}

static void spinning_and_counting(void)
{
    pthread_t t = start(waits_stop, NULL);
    sched_yield();
    usleep(1000);
    atomic_store(&stop, 1);
    finish(t);
}

static void atomics(void)
{
    unsigned char e8 = 9;
    unsigned e32 = 0;
    CHECK(atomic_fetch_add(&a8, 3) == 0 && atomic_fetch_sub(&a8, 1) == 3);
    CHECK(!atomic_compare_exchange_strong(&a8, &e8, 7) && e8 == 2);
    CHECK(atomic_compare_exchange_strong(&a8, &e8, 7) && a8 == 7);
    CHECK(atomic_fetch_or(&a16, 0xF0) == 0 && atomic_fetch_and(&a16, 0x3C) == 0xF0 && a16 == 0x30);
    CHECK(atomic_fetch_xor(&a32, 5) == 0 && atomic_exchange(&a32, 6) == 5);
    while (!atomic_compare_exchange_weak(&a32, &e32, 11))
        ;
    CHECK(e32 == 6 && a32 == 11);
    atomic_thread_fence(memory_order_acquire);
    atomic_store_explicit(&a64, 1ul << 40, memory_order_release);
    CHECK(atomic_load_explicit(&a64, memory_order_acquire) == 1ul << 40);
    CHECK(__atomic_fetch_nand(&shared, 1, __ATOMIC_SEQ_CST) == 0 && shared == ~0l);
}

/* ------------------------------------------------------------ time */

static void *sleeps(void *ms)
{
    usleep(*(int *)ms * 1000u);
    pthread_mutex_lock(&mutex);
    shared = shared * 10 + *(int *)ms / 100;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void timers(void)
{
    int ms[3] = { 300, 100, 200 };
    struct timespec before, after;
    pthread_t t[3];
    clock_gettime(CLOCK_MONOTONIC, &before);
    time_t seconds = time(NULL);
    for (int i = 0; i < 3; i++)
        t[i] = start(sleeps, &ms[i]);
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    CHECK(shared == 123);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 300);
    struct timespec nap = { 1, 0 };
    CHECK(nanosleep(&nap, NULL) == 0);
    CHECK(time(NULL) > seconds);
}

static void long_sleep(void)
{
    time_t before = time(NULL);
    CHECK(sleep(10) == 0);
    CHECK(time(NULL) - before >= 10);
    struct timeval limit = { 10, 0 };
    CHECK(select(0, NULL, NULL, NULL, &limit) == 0);
    CHECK(poll(NULL, 0, 10000) == 0);
    CHECK(time(NULL) - before >= 30);
}

static void *locks_file(void *unused)
{
    flockfile(stderr);
    shared++;
    sched_yield();
    shared++;
    funlockfile(stderr);
    return unused;
}

static void files(void)
{
    pthread_t a = start(locks_file, NULL), b = start(locks_file, NULL);
    finish(a);
    finish(b);
    CHECK(ftrylockfile(stderr) == 0);
    funlockfile(stderr);
    CHECK(shared == 4);
}

/* ------------------------------------------------------------ threads in number */

static void *counts(void *unused)
{
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void thousand(void)
{
    for (int i = 0; i < 1000; i++)
        finish(start(counts, NULL));
    CHECK(shared == 1000);
}

static void two_hundred(void)
{
    pthread_t t[200];
    for (int i = 0; i < 200; i++)
        t[i] = start(counts, NULL);
    for (int i = 0; i < 200; i++)
        finish(t[i]);
    CHECK(shared == 200);
}

static void *after_main(void *unused)
{
    usleep(1000);
    shared = 77;
    return unused;
}

static void main_exits(void)
{
    start(after_main, NULL);
    pthread_exit(NULL);
}

static void *locks_again(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

static void stuck(void)
{
    pthread_mutex_lock(&mutex);
    finish(start(locks_again, NULL));
}

static void stuck_cond(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    { "mutexes", mutexes },     { "mutex_types", mutex_types }, { "robust_mutex", robust_mutex },
    { "spinlocks", spinlocks }, { "rwlocks", rwlocks },         { "conditions", conditions },
    { "barriers", barriers },   { "onces", onces },             { "keys", keys },
    { "semaphores", semaphores }, { "joins", joins },           { "cancels", cancels },
    { "cancels_sleep", cancels_sleep }, { "detached", detached }, { "c11", c11 },
    { "spinning", spinning },   { "spinning_and_counting", spinning_and_counting },
    { "atomics", atomics },     { "timers", timers },           { "long_sleep", long_sleep },
    { "files", files },         { "thousand", thousand },       { "two_hundred", two_hundred },
    { "main_exits", main_exits }, { "stuck", stuck },           { "stuck_cond", stuck_cond },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
