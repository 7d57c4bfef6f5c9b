/* SPDX-License-Identifier: Apache-2.0
 * class: writer starvation and rwlocks
 * bug: a reader reads again below a lock that prefers waiting writers
 * expect: FAILING, the writer waits for the reader, who waits behind the writer */
#include "threads.h"

static pthread_rwlock_t lock;
static int value;

static int nested_read(void)
{
#ifdef FIXED
    return value;
#else
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    pthread_rwlock_unlock(&lock);
    return seen;
#endif
}

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    int first = value, second = nested_read();
    pthread_rwlock_unlock(&lock);
    assert(first == second);
    return unused;
}

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    value++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attr);
    run_two(reader, writer);
}
