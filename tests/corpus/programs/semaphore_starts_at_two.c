/* SPDX-License-Identifier: Apache-2.0
 * class: semaphore misuse
 * bug: a semaphore that serves as a lock starts at 2
 * expect: FAILING, an update is lost */
#include <semaphore.h>

#include "one_test.h"
#include "threads.h"

static sem_t guard;
static int visits;

static void *visit(void *unused)
{
    sem_wait(&guard);
    visits++;
    sem_post(&guard);
    return unused;
}

ONE_TEST(two_visits)
{
#ifdef FIXED
    sem_init(&guard, 0, 1);
#else
    sem_init(&guard, 0, 2);
#endif
    run_two(visit, visit);
    CU_ASSERT_EQUAL(visits, 2);
}
