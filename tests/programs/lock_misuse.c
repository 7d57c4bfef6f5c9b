/* SPDX-License-Identifier: Apache-2.0
 * Locks used against the rules, by the first argument; with "right" after it, the correct twin. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t turn;
static int right, state, seen;
static pthread_t thread[3];

static void begin(int n, void *(*run)(void *), void *arg)
{
    pthread_create(&thread[n], NULL, run, arg);
}

static void end(int n)
{
    pthread_join(thread[n], NULL);
}

/* ------------------------------------------------------------------ misuse */

static void *locks_twice(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(right ? &other : &lock);
    pthread_mutex_unlock(right ? &other : &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void self_deadlock(void)
{
    begin(0, locks_twice, NULL);
    end(0);
}

static void *releases(void *arg)
{
    pthread_mutex_unlock(&lock);
    return arg;
}

static void foreign_unlock(void)
{
    pthread_mutex_lock(&lock);
    begin(0, right ? locks_twice : releases, NULL);
    if (right)
        pthread_mutex_unlock(&lock);
    end(0);
}

static void *keeps(void *arg)
{
    pthread_mutex_lock(&lock);
    seen++;
    if (right)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *counts(void *arg)
{
    pthread_mutex_lock(&lock);
    state++;
    pthread_mutex_unlock(&lock);
    return arg;
}

/* As recorded the one that keeps the lock is last. */
static void end_while_holding(void)
{
    begin(0, counts, NULL);
    begin(1, keeps, NULL);
    end(0);
    end(1);
}

/* As recorded the thread is through with the lock when that goes. */
static void destroy_while_held(void)
{
    begin(0, counts, NULL);
    begin(1, counts, NULL);
    end(0);
    if (right)
        end(1);
    pthread_mutex_destroy(&lock);
    if (!right)
        end(1);
}

/* --------------------------------------------------------------- deadlocks */

static void *takes_lock(void *arg)
{
    pthread_mutex_lock(&lock);
    state++;
    pthread_mutex_unlock(&lock);
    return arg;
}

/* The child takes the lock before its parent does, as recorded. */
static void join_while_holding(void)
{
    begin(0, takes_lock, NULL);
    usleep(1000);
    if (right)
        end(0);
    pthread_mutex_lock(&lock);
    if (!right)
        end(0);
    pthread_mutex_unlock(&lock);
}

/* 0 holds `lock` and joins 0.1, which joins 0.2, which takes `lock`. */
static void *joins(void *arg)
{
    end(1);
    return arg;
}

static void join_of_a_join(void)
{
    begin(1, takes_lock, NULL);
    begin(0, joins, NULL);
    usleep(1000);
    if (right)
        end(0);
    pthread_mutex_lock(&lock);
    if (!right)
        end(0);
    pthread_mutex_unlock(&lock);
}

/* A semaphore as a mutex, in opposite order. */
static void *semaphore_first(void *arg)
{
    sem_wait(&turn);
    pthread_mutex_lock(&lock);
    state++;
    pthread_mutex_unlock(&lock);
    sem_post(&turn);
    return arg;
}

static void *lock_first(void *arg)
{
    if (right)
        return semaphore_first(arg);
    pthread_mutex_lock(&lock);
    sem_wait(&turn);
    state++;
    sem_post(&turn);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void semaphore_order(void)
{
    sem_init(&turn, 0, 1);
    begin(0, semaphore_first, NULL);
    begin(1, lock_first, NULL);
    end(0);
    end(1);
}

/* The post that the holder of the lock waits for comes after an acquire of that lock. */
static void *posts(void *arg)
{
    pthread_mutex_lock(&lock);
    state = 1;
    pthread_mutex_unlock(&lock);
    sem_post(&turn);
    return arg;
}

static void semaphore_signal(void)
{
    sem_init(&turn, 0, 0);
    begin(0, posts, NULL);
    usleep(1000);
    if (right)
        sem_wait(&turn);
    pthread_mutex_lock(&lock);
    if (!right)
        sem_wait(&turn);
    seen = state;
    pthread_mutex_unlock(&lock);
    end(0);
}

/* Waits for `changed` with `other` held, which who would signal takes first; as recorded it has had its turn. */
static void *signals(void *arg)
{
    pthread_mutex_lock(&other);
    seen++;
    pthread_mutex_unlock(&other);
    usleep(2000);
    pthread_mutex_lock(&lock);
    state = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void nested_monitor(void)
{
    begin(0, signals, NULL);
    usleep(1000);
    if (!right)
        pthread_mutex_lock(&other);
    pthread_mutex_lock(&lock);
    while (!state)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    if (!right)
        pthread_mutex_unlock(&other);
    end(0);
}

/* Two threads signal, each only once, and without having changed anything under the lock. */
static void *signals_once(void *arg)
{
    if (right)
        pthread_mutex_lock(&lock);
    state++;
    pthread_cond_signal(&changed);
    if (right)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *waits_once(void *arg)
{
    pthread_mutex_lock(&lock);
    if (right)
        while (!state)
            pthread_cond_wait(&changed, &lock);
    else
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void two_signallers(void)
{
    begin(0, waits_once, NULL);
    begin(1, signals_once, NULL);
    begin(2, signals_once, NULL);
    for (int i = 0; i < 3; i++)
        end(i);
}

/* ------------------------------------------------------------------ memory */

static int *block;

static void *frees(void *arg)
{
    pthread_mutex_lock(&lock);
    seen += block ? *block : 0;
    free(block);
    if (right)
        block = NULL;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void double_free(void)
{
    block = malloc(sizeof *block);
    *block = 1;
    begin(0, frees, NULL);
    begin(1, frees, NULL);
    end(0);
    end(1);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } cases[] = {
        { "self_deadlock", self_deadlock },           { "foreign_unlock", foreign_unlock },
        { "end_while_holding", end_while_holding },   { "destroy_while_held", destroy_while_held },
        { "join_while_holding", join_while_holding }, { "join_of_a_join", join_of_a_join },
        { "semaphore_order", semaphore_order },       { "semaphore_signal", semaphore_signal },
        { "nested_monitor", nested_monitor },         { "two_signallers", two_signallers },
        { "double_free", double_free },
    };
    right = argc > 2 && strcmp(argv[2], "right") == 0;
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
