/* SPDX-License-Identifier: Apache-2.0
 * A lost update in a Unity test: the correct twin. */
#include <pthread.h>
#include <stddef.h>

#include "unity.h"
#include <heddle/unity.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

/* The fix: read and write in one critical section. */
static void *deposit_ten(void *unused)
{
    pthread_mutex_lock(&lock);
    balance += 10;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* That many threads deposit ten each. */
static void deposits(int count)
{
    pthread_t thread[2];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, deposit_ten, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

void setUp(void) { balance = 100; }
void tearDown(void) { }

static void one_deposit(void)
{
    deposits(1);
    TEST_ASSERT_EQUAL_INT(110, balance);
}

static void two_deposits(void)
{
    deposits(2);
    TEST_ASSERT_EQUAL_INT(120, balance);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(one_deposit);
    RUN_TEST(two_deposits);
    return UNITY_END();
}
