/* SPDX-License-Identifier: Apache-2.0
 * class: wrong lock
 * bug: the stripe is chosen by the hash in one function and by the key in the other
 * expect: FAILING, an update of the same entry is lost */
#include "threads.h"

static pthread_mutex_t stripe[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int value[8];

static unsigned hash(unsigned key)
{
    return key * 7 + 1;
}

static void *increase(void *unused)
{
    unsigned key = 4;
    pthread_mutex_lock(&stripe[hash(key) % 2]);
    value[key] += 10;
    pthread_mutex_unlock(&stripe[hash(key) % 2]);
    return unused;
}

static void *decrease(void *unused)
{
    unsigned key = 4;
#ifdef FIXED
    pthread_mutex_t *lock = &stripe[hash(key) % 2];
#else
    pthread_mutex_t *lock = &stripe[key % 2];
#endif
    pthread_mutex_lock(lock);
    value[key] -= 3;
    pthread_mutex_unlock(lock);
    return unused;
}

int main(void)
{
    run_two(increase, decrease);
    assert(value[4] == 7);
}
