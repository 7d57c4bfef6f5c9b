/* SPDX-License-Identifier: Apache-2.0
 * class: rwlock deadlock
 * bug: two rwlocks, read in one order and written in the other
 * expect: FAILING, deadlock of a reader and a writer */
#include "threads.h"

static pthread_rwlock_t users = PTHREAD_RWLOCK_INITIALIZER, groups = PTHREAD_RWLOCK_INITIALIZER;
static int members;

static void *list(void *unused)
{
    pthread_rwlock_rdlock(&users);
    pthread_rwlock_rdlock(&groups);
    assert(members >= 0);
    pthread_rwlock_unlock(&groups);
    pthread_rwlock_unlock(&users);
    return unused;
}

static void *enrol(void *unused)
{
#ifdef FIXED
    pthread_rwlock_wrlock(&users);
    pthread_rwlock_wrlock(&groups);
#else
    pthread_rwlock_wrlock(&groups);
    pthread_rwlock_wrlock(&users);
#endif
    members++;
    pthread_rwlock_unlock(&users);
    pthread_rwlock_unlock(&groups);
    return unused;
}

int main(void)
{
    run_two(list, enrol);
    assert(members == 1);
}
