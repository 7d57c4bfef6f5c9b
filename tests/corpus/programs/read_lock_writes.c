/* SPDX-License-Identifier: Apache-2.0
 * class: wrong lock
 * bug: the hit counter is written under the read lock
 * expect: FAILING, a hit is lost */
#include "one_test.h"
#include "threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached = 9, hits;

static void *lookup(void *unused)
{
#ifdef FIXED
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
#endif
    if (cached == 9)
        hits++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

ONE_TEST(both_hits_count)
{
    run_two(lookup, lookup);
    CU_ASSERT_EQUAL(hits, 2);
}
