/* SPDX-License-Identifier: Apache-2.0
 * Built as C and as C++, by every build system. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>
#include <pthread.h>

#include "account.h"

static void *pay(void *unused)
{
    deposit(10);
    return unused;
}

static void two_deposits(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, pay, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    CU_ASSERT(balance_now() == 120);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("account", NULL, NULL);
    CU_ADD_TEST(suite, two_deposits);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}
