/* SPDX-License-Identifier: Apache-2.0
 * A lost update in a test for Check: the correct twin. Each test runs in a process of its own, or with CK_FORK=no
 * all of them in one. */
#include <pthread.h>
#include <stddef.h>

#include <check.h>
#include <heddle/check.h>

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

static void open_account(void) { balance = 100; }

START_TEST(one_deposit)
{
    deposits(1);
    ck_assert_int_eq(balance, 110);
}
END_TEST

START_TEST(two_deposits)
{
    deposits(2);
    ck_assert_int_eq(balance, 120);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bank");
    TCase *account = tcase_create("account");
    tcase_add_checked_fixture(account, open_account, NULL);
    tcase_add_test(account, one_deposit);
    tcase_add_test(account, two_deposits);
    suite_add_tcase(suite, account);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
