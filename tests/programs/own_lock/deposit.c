/* SPDX-License-Identifier: Apache-2.0
 * A lost update between two critical sections (BUGGY), or one section and no bug.
 * The lock is one of own_lock.h, or inlined and annotated (INLINE). */
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

#include "own_lock.h"

static struct own_lock lock;
long balance = 100;

#ifdef INLINE
static inline void take(void)
{
    HEDDLE_ACQUIRE(&lock);
    __asm__ volatile("1: movl $1, %%eax; xchgl %%eax, %0; testl %%eax, %%eax; jnz 1b" : "+m"(lock.word) : : "eax", "memory");
}

static inline void give(void)
{
    __asm__ volatile("movl $0, %0" : "=m"(lock.word) : : "memory");
    HEDDLE_RELEASE(&lock);
}
#else
#define take() own_lock(&lock, 7)
#define give() own_unlock(&lock)
#endif

static void *deposit(void *unused)
{
    take();
    long seen = balance;
#ifdef BUGGY
    give();
    take();
#endif
    balance = seen + 10;
    give();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
#ifdef BY_CALL
    if (HEDDLE_DECLARE("acquire int own_lock(ptr, int) object=1") != 0 ||
        HEDDLE_DECLARE("release void own_unlock(ptr) object=1") != 0 || HEDDLE_DECLARE("nonsense") == 0)
        return 2;
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, deposit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(balance == 120);
    return 0;
}
