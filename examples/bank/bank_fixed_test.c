/* SPDX-License-Identifier: Apache-2.0
 * bank_test.c without its bug. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;
static const long ten = 10, twenty = 20;

/* The fix: read and write in one critical section. */
static void *deposit(void *amount)
{
    pthread_mutex_lock(&lock);
    balance += *(const long *)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static long balance_now(void)
{
    pthread_mutex_lock(&lock);
    long now = balance;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *read_balance(void *seen)
{
    *(long *)seen = balance_now();
    return NULL;
}

/* One thread deposits: nobody to lose an update to. */
static void test_deposit_once(void)
{
    pthread_t thread;
    balance = 100;
    pthread_create(&thread, NULL, deposit, (void *)&ten);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(balance, 110);
}

/* An auditor may come before or after the deposit; both answers are right. */
static void test_audit(void)
{
    pthread_t depositor, auditor;
    long seen = 0;
    balance = 100;
    pthread_create(&depositor, NULL, deposit, (void *)&ten);
    pthread_create(&auditor, NULL, read_balance, &seen);
    pthread_join(depositor, NULL);
    pthread_join(auditor, NULL);
    CU_ASSERT(seen == 100 || seen == 110);
    CU_ASSERT_EQUAL(balance, 110);
}

/* Two threads deposit; both amounts must arrive. */
static void test_transfer(void)
{
    pthread_t first, second;
    balance = 100;
    pthread_create(&first, NULL, deposit, (void *)&ten);
    pthread_create(&second, NULL, deposit, (void *)&twenty);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CU_ASSERT_EQUAL(balance, 130);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("bank", NULL, NULL);
    CU_add_test(suite, "deposit_once", test_deposit_once);
    CU_add_test(suite, "audit", test_audit);
    CU_add_test(suite, "transfer", test_transfer);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
