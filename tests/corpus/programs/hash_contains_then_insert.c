/* SPDX-License-Identifier: Apache-2.0
 * class: check-then-act on a hash
 * bug: contains() and insert() are two critical sections
 * expect: FAILING, one key is there twice */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bucket[4][4], used[4];

static bool contains(int key)
{
    bool found = false;
    for (int i = 0; i < used[key % 4]; i++)
        found |= bucket[key % 4][i] == key;
    return found;
}

static void *insert(void *unused)
{
    pthread_mutex_lock(&lock);
    bool there = contains(6);
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (!there)
        bucket[6 % 4][used[6 % 4]++] = 6;
    pthread_mutex_unlock(&lock);
    return unused;
}

ONE_TEST(a_key_is_there_once)
{
    run_two(insert, insert);
    CU_ASSERT_EQUAL(used[6 % 4], 1);
}
