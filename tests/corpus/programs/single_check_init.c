/* SPDX-License-Identifier: Apache-2.0
 * class: double-checked initialisation
 * bug: no second look under the lock
 * expect: FAILING, initialised twice, what was stored in between is lost */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready;
static int users;

static void *join_in(void *unused)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
#ifdef FIXED
        if (!atomic_load(&ready))
#endif
            users = 0;
        atomic_store(&ready, true);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    users++;
    pthread_mutex_unlock(&lock);
    return unused;
}

ONE_TEST(both_are_counted)
{
    run_two(join_in, join_in);
    CU_ASSERT_EQUAL(users, 2);
}
