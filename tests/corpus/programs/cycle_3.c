/* SPDX-License-Identifier: Apache-2.0
 * class: deadlock, cycle of 3
 * bug: three threads, three locks, a circle
 * expect: FAILING, deadlock */
#include "one_test.h"
#include "threads.h"

#define RING 3

static pthread_mutex_t fork_lock[RING];
static int meals;
static pthread_mutex_t meals_lock = PTHREAD_MUTEX_INITIALIZER;

static void *dine(void *number)
{
    unsigned left = (unsigned)(uintptr_t)number, right = (left + 1) % RING;
#ifdef FIXED
    if (right < left) {
        right = left;
        left = 0;
    }
#endif
    pthread_mutex_lock(&fork_lock[left]);
    pthread_mutex_lock(&fork_lock[right]);
    pthread_mutex_lock(&meals_lock);
    meals++;
    pthread_mutex_unlock(&meals_lock);
    pthread_mutex_unlock(&fork_lock[right]);
    pthread_mutex_unlock(&fork_lock[left]);
    return NULL;
}

ONE_TEST(everybody_eats)
{
    for (int i = 0; i < RING; i++)
        pthread_mutex_init(&fork_lock[i], NULL);
    run_many(RING, dine);
    CU_ASSERT_EQUAL(meals, RING);
}
