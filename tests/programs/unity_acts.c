/* SPDX-License-Identifier: Apache-2.0
 * A runner in Unity's style: assertions in every part of a test and in another thread. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "unity.h"
#include <heddle/unity.h>

static int value;
int torn_down;
static char text[8];

void setUp(void)
{
    strcpy(text, "abc");
    value = 2;
}

void tearDown(void) { torn_down = value; }

static void holds(void)
{
    TEST_ASSERT(value == 2);
    TEST_ASSERT_EQUAL_STRING("abc", text);
}

static void fails(void)
{
    TEST_ASSERT_EQUAL_INT(3, value);
    value = 50;
}

static void *worker(void *unused)
{
    TEST_ASSERT_EQUAL_INT(7, value);
    value = 51;
    return unused;
}

static void in_worker(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    value = 52;
}

static void last(void) { TEST_ASSERT_EQUAL_INT(2, value); }

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(holds);
    RUN_TEST(fails);
    RUN_TEST(in_worker);
    RUN_TEST(last);
    return UNITY_END();
}
