/* SPDX-License-Identifier: Apache-2.0 */
#include "own_lock.h"

#include <sched.h>

static struct own_lock giant;

int own_lock(struct own_lock *l, int how)
{
    while (__atomic_exchange_n(&l->word, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    return how;
}

void own_unlock(struct own_lock *l)
{
    __atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
}

int own_trylock(struct own_lock *l)
{
    return __atomic_exchange_n(&l->word, 1, __ATOMIC_ACQUIRE) ? 16 : 0;
}

float own_weighed_lock(double weight, struct own_lock *l, char tag, float more)
{
    own_lock(l, tag);
    l->waited += weight;
    return (float)weight + more + (float)tag;
}

unsigned char own_wide_lock(long a, long b, long c, long d, long e, long f, struct own_lock *l, double g)
{
    own_lock(l, 0);
    return (unsigned char)(a + b + c + d + e + f + (long)g);
}

void giant_lock(void)
{
    own_lock(&giant, 0);
}

void giant_unlock(void)
{
    own_unlock(&giant);
}

int gate_take(struct own_gate *g)
{
    int seen;
    while ((seen = __atomic_load_n(&g->tokens, __ATOMIC_ACQUIRE)) == 0 ||
           !__atomic_compare_exchange_n(&g->tokens, &seen, seen - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        sched_yield();
    return seen;
}

void gate_put(struct own_gate *g)
{
    __atomic_fetch_add(&g->tokens, 1, __ATOMIC_RELEASE);
}
