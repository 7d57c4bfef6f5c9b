/* SPDX-License-Identifier: Apache-2.0
 * A lost update in a cmocka test. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <heddle/cmocka.h>

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

static int open_account(void **state)
{
    balance = 100;
    *state = &balance;
    return 0;
}

static void one_deposit(void **state)
{
    deposits(1);
    assert_int_equal(*(long *)*state, 110);
}

static void two_deposits(void **state)
{
    deposits(2);
    assert_int_equal(*(long *)*state, 120);
}

int main(void)
{
    const struct CMUnitTest account[] = {
        cmocka_unit_test_setup(one_deposit, open_account),
        cmocka_unit_test_setup(two_deposits, open_account),
    };
    return cmocka_run_group_tests(account, NULL, NULL);
}
