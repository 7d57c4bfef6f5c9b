/* SPDX-License-Identifier: Apache-2.0
 * class: rwlock upgrade
 * bug: the lock that orders the upgrades is asked for while the read lock is held
 * expect: FAILING, one holds the order and waits for the readers, the other reads and waits for the order */
#include "threads.h"

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t one_upgrade = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void *add(void *unused)
{
    pthread_rwlock_rdlock(&table_lock);
    assert(entries <= 2);
#ifdef FIXED
    pthread_rwlock_unlock(&table_lock);
    pthread_mutex_lock(&one_upgrade);
#else
    pthread_mutex_lock(&one_upgrade);
    pthread_rwlock_unlock(&table_lock);
#endif
    pthread_rwlock_wrlock(&table_lock);
    entries++;
    pthread_rwlock_unlock(&table_lock);
    pthread_mutex_unlock(&one_upgrade);
    return unused;
}

int main(void)
{
    run_two(add, add);
    assert(entries == 2);
}
