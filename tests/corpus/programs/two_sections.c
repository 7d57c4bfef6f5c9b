/* SPDX-License-Identifier: Apache-2.0
 * class: atomicity, two critical sections
 * bug: the balance is read in one critical section and written in the next
 * expect: FAILING, one deposit is lost */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

static void *deposit(void *amount)
{
    pthread_mutex_lock(&lock);
    long seen = balance;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    balance = seen + *(long *)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

ONE_TEST(both_deposits_arrive)
{
    long ten = 10, twenty = 20;
    pthread_t a = spawn(deposit, &ten), b = spawn(deposit, &twenty);
    join(a);
    join(b);
    CU_ASSERT_EQUAL(balance, 30);
}
