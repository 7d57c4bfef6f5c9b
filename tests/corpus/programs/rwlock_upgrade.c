/* SPDX-License-Identifier: Apache-2.0
 * class: rwlock upgrade
 * bug: a reader asks for the write lock without letting go of its read lock, when it finds work
 * expect: FAILING, deadlock of two upgrades */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, sum;

static void read_begin(void)
{
    pthread_mutex_lock(&lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void read_end(void)
{
    pthread_mutex_lock(&lock);
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Waits until the caller is the only reader, or there is none. */
static void write_as_one_of(int own)
{
    pthread_mutex_lock(&lock);
    while (readers > own)
        pthread_cond_wait(&changed, &lock);
    sum++;
    pthread_mutex_unlock(&lock);
}

static void *update(void *unused)
{
    read_begin();
#ifdef FIXED
    read_end();
    write_as_one_of(0);
#else
    write_as_one_of(1);
    read_end();
#endif
    return unused;
}

int main(void)
{
    run_two(update, update);
    assert(sum == 2);
}
