/* SPDX-License-Identifier: Apache-2.0
 * class: writer starvation and rwlocks
 * bug: one reads with a mutex held, another takes the mutex while it reads, and a writer waits in between
 * expect: FAILING, a ring of three: reader, writer, reader */
#include "threads.h"

static pthread_rwlock_t table;
static pthread_mutex_t statistics = PTHREAD_MUTEX_INITIALIZER;
static int rows = 3, lookups;

static void *summarise(void *unused)
{
    pthread_mutex_lock(&statistics);
    pthread_rwlock_rdlock(&table);
    assert(rows >= 3 && lookups >= 0);
    pthread_rwlock_unlock(&table);
    pthread_mutex_unlock(&statistics);
    return unused;
}

static void *look_up(void *unused)
{
    pthread_rwlock_rdlock(&table);
    int found = rows;
#ifdef FIXED
    pthread_rwlock_unlock(&table);
    pthread_mutex_lock(&statistics);
    lookups += found > 0;
    pthread_mutex_unlock(&statistics);
#else
    pthread_mutex_lock(&statistics);
    lookups += found > 0;
    pthread_mutex_unlock(&statistics);
    pthread_rwlock_unlock(&table);
#endif
    return unused;
}

static void *insert(void *unused)
{
    pthread_rwlock_wrlock(&table);
    rows++;
    pthread_rwlock_unlock(&table);
    return unused;
}

int main(void)
{
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&table, &attr);
    pthread_t last = spawn(summarise, NULL);
    run_two(look_up, insert);
    join(last);
}
