/* SPDX-License-Identifier: Apache-2.0
 * class: barrier misuse
 * bug: one wait a round, where the writer of the next round has to wait for the readers of this one
 * expect: FAILING, a reader sees the next round's value */
#include "one_test.h"
#include "threads.h"

static pthread_barrier_t round_begins;
static int value, seen[2];

static void *lead(void *unused)
{
    for (int round = 0; round < 2; round++) {
        compute();
        value = round + 1;
        pthread_barrier_wait(&round_begins);
#ifdef FIXED
        pthread_barrier_wait(&round_begins);
#endif
    }
    return unused;
}

static void *follow(void *unused)
{
    for (int round = 0; round < 2; round++) {
        pthread_barrier_wait(&round_begins);
        seen[round] = value;
#ifdef FIXED
        pthread_barrier_wait(&round_begins);
#endif
    }
    return unused;
}

ONE_TEST(each_round_its_value)
{
    pthread_barrier_init(&round_begins, NULL, 2);
    run_two(follow, lead);
    CU_ASSERT_EQUAL(seen[0], 1);
    CU_ASSERT_EQUAL(seen[1], 2);
}
