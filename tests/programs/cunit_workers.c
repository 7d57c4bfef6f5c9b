/* SPDX-License-Identifier: Apache-2.0
 * Assertions in worker threads, fatal ones too; a handler of the user's own. */
#include <CUnit/Basic.h>
#include <CUnit/TestRun.h>
#include <heddle/cunit.h>
#include <pthread.h>
#include <stdlib.h>

long before, after, reported;

static void *fatal_worker(void *unused)
{
    before = 1;
    CU_ASSERT_FATAL(before == 2);
    after = 1;
    return unused;
}

static void *soft_worker(void *unused)
{
    for (int i = 0; i < 100; i++)
        CU_ASSERT(before == 7);
    return unused;
}

static void run(void *(*function)(void *), int threads)
{
    pthread_t thread[4];
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, function, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static void fatal(void)
{
    run(fatal_worker, 2);
    CU_ASSERT(after == 0);
}

static void soft(void)
{
    before = 7;
    run(soft_worker, 4);
    char *volatile mine = malloc(3);
    free(mine);
    before = 8;
    run(soft_worker, 2);
}

static void completed(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure)
{
    (void)test;
    (void)suite;
    reported += failure != NULL;
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("workers", NULL, NULL);
    CU_set_test_complete_handler(completed);
    CU_add_test(suite, "fatal", fatal);
    CU_add_test(suite, "soft", soft);
    CU_run_all_tests();
    /* Two fatal ones; 400 hold, then 200 fail. */
    int good = CU_get_test_complete_handler() == completed && reported == 2 && CU_get_number_of_failures() == 202 &&
               CU_get_number_of_asserts() == 603;
    CU_cleanup_registry();
    return good ? 0 : 1;
}
