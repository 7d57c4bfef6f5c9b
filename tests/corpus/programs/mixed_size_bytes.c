/* SPDX-License-Identifier: Apache-2.0
 * class: mixed-size access
 * bug: the length is stored whole, and read byte by byte
 * expect: FAILING, one byte of the old length, one of the new */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint16_t length = 0x0101;
static unsigned low, high;

static void *store(void *unused)
{
    pthread_mutex_lock(&lock);
    length = 0x0202;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *parse(void *unused)
{
    const volatile unsigned char *byte = (const volatile unsigned char *)&length;
    pthread_mutex_lock(&lock);
    low = byte[0];
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    high = byte[1];
    pthread_mutex_unlock(&lock);
    return unused;
}

ONE_TEST(both_bytes_of_one_length)
{
    run_two(store, parse);
    CU_ASSERT_EQUAL(low, high);
}
