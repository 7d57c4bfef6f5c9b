/* SPDX-License-Identifier: Apache-2.0
 * Waiting by looking again and again:  polls HOW [slow], slow: who is waited for sleeps first. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_int number;
static volatile int word;
static int done, looks, slow;

static int is_done(void)
{
    pthread_mutex_lock(&mutex);
    int seen = done;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static int is_done_and_count(void)
{
    pthread_mutex_lock(&mutex);
    int seen = done;
    looks++;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static int is_done_reader(void)
{
    pthread_rwlock_rdlock(&rwlock);
    int seen = done;
    pthread_rwlock_unlock(&rwlock);
    return seen;
}

static int swapped(void)
{
    int expected = 1;
    return atomic_compare_exchange_strong(&number, &expected, 2);
}

static int has_value(void)
{
    int value = 0;
    sem_getvalue(&semaphore, &value);
    return value;
}

static int took_mutex(void)
{
    if (!atomic_load(&number) || pthread_mutex_trylock(&mutex) != 0)
        return 0;
    pthread_mutex_unlock(&mutex);
    return 1;
}

static int took_semaphore(void) { return sem_trywait(&semaphore) == 0; }
static int took_flag(void) { return !atomic_flag_test_and_set(&flag); }
static int has_number(void) { return atomic_load(&number); }
static int has_word(void) { return word; }
static int yield_and_word(void) { return sched_yield() != 0 || word; }
static int yield_and_number(void) { return sched_yield() != 0 || atomic_load(&number); }
static int yield_and_done(void) { return sched_yield() != 0 || is_done(); }
static int sleep_and_number(void) { return usleep(10) != 0 || atomic_load(&number); }

static const struct { const char *name; int (*look)(void); } ways[] = {
    { "mutex", is_done },       { "counting", is_done_and_count }, { "rwlock", is_done_reader },
    { "exchange", swapped },    { "semaphore", took_semaphore },   { "value", has_value },
    { "trylock", took_mutex },  { "flag", took_flag },             { "atomic", has_number },
    { "plain", has_word },      { "yield_plain", yield_and_word }, { "yield_atomic", yield_and_number },
    { "yield_mutex", yield_and_done }, { "sleep", sleep_and_number },
};

static void *does_it(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (slow)
        usleep(5000);
    atomic_store(&number, 1);
    done = word = 1;
    pthread_mutex_unlock(&mutex);
    sem_post(&semaphore);
    atomic_flag_clear(&flag);
    return unused;
}

static void *looks_too(void *way)
{
    while (!((int (*)(void))way)())
        ;
    return NULL;
}

int main(int argc, char **argv)
{
    int (*look)(void) = NULL;
    pthread_t thread, other;
    for (unsigned i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[1], ways[i].name) == 0)
            look = ways[i].look;
    if (!look)
        return 2;
    slow = argc > 2;
    sem_init(&semaphore, 0, 0);
    atomic_flag_test_and_set(&flag);
    pthread_create(&thread, NULL, does_it, NULL);
    pthread_create(&other, NULL, looks_too, look == yield_and_done || look == yield_and_number ? (void *)look : (void *)is_done);
    while (!look())
        ;
    pthread_join(thread, NULL);
    pthread_join(other, NULL);
    return 0;
}
