/* SPDX-License-Identifier: Apache-2.0
 * A lost update in a Criterion test. Each test runs in a process of its own. */
#include <pthread.h>
#include <stddef.h>

#include <criterion/criterion.h>
#include <heddle/criterion.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

/* The bug: the lock is let go between reading the balance and writing it. */
static void *deposit_ten(void *unused)
{
    pthread_mutex_lock(&lock);
    long seen = balance;
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    balance = seen + 10;
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

static void open_account(void) { balance = 100; }

Test(account, one_deposit, .init = open_account)
{
    deposits(1);
    cr_assert_eq(balance, 110);
}

Test(account, two_deposits, .init = open_account)
{
    deposits(2);
    cr_assert_eq(balance, 120);
}
