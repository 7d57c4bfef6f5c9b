/* SPDX-License-Identifier: Apache-2.0
 * class: critical-section commutativity
 * bug: the total is added to outside the lock, before in one thread and after in the other
 * expect: FAILING, an addition is lost */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, entries;

static void add(int amount)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    total += amount;
    pthread_mutex_unlock(&lock);
#else
    total += amount;
#endif
}

static void enter(void)
{
    pthread_mutex_lock(&lock);
    entries++;
    pthread_mutex_unlock(&lock);
}

static void *early(void *unused)
{
    add(3);
    enter();
    return unused;
}

static void *late(void *unused)
{
    enter();
    add(4);
    return unused;
}

ONE_TEST(nothing_is_lost)
{
    run_two(early, late);
    CU_ASSERT_EQUAL(total, 7);
    CU_ASSERT_EQUAL(entries, 2);
}
