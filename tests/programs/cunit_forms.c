/* SPDX-License-Identifier: Apache-2.0
 * The same suite, registered in every form and run by every runner CUnit has:
 *     cunit_forms add|macro|tables basic|automated|console|plain */
#include <CUnit/Automated.h>
#include <CUnit/Basic.h>
#include <CUnit/Console.h>
#include <heddle/cunit.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *fixture;
long opened, seen, torn_down;

static int suite_open(void)
{
    opened = 1;
    return 0;
}

static int suite_close(void)
{
    opened = 0;
    return 0;
}

static void set_up(void)
{
    fixture = malloc(sizeof *fixture);
    *fixture = 5;
}

static void tear_down(void)
{
    torn_down = *fixture;
    free(fixture);
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    *fixture += 1;
    pthread_mutex_unlock(&lock);
    CU_ASSERT(*fixture >= 6);
    return unused;
}

static void counts(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    CU_ASSERT_EQUAL(*fixture, 7);
}

static void fails(void)
{
    seen = 1;
    CU_ASSERT(seen == 2);
    CU_ASSERT_FATAL(seen == 3);
    seen = 4;
}

static void passes(void)
{
    seen = 9;
    CU_ASSERT_FATAL(seen == 9);
}

static void add_by_call(int macro)
{
    CU_pSuite suite = CU_add_suite_with_setup_and_teardown("forms", suite_open, suite_close, set_up, tear_down);
    if (macro) {
        CU_ADD_TEST(suite, counts);
        CU_ADD_TEST(suite, fails);
        CU_ADD_TEST(suite, passes);
    } else {
        CU_add_test(suite, "counts", counts);
        CU_add_test(suite, "fails", fails);
        CU_add_test(suite, "passes", HEDDLE_TEST(passes));
    }
}

static CU_TestInfo tests[] = { { "counts", counts }, { "fails", fails }, { "passes", passes }, CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "forms", suite_open, suite_close, set_up, tear_down, tests },
                                 CU_SUITE_INFO_NULL };

int main(int argc, char **argv)
{
    const char *form = argc > 1 ? argv[1] : "add", *runner = argc > 2 ? argv[2] : "basic";
    CU_initialize_registry();
    if (strcmp(form, "tables") == 0)
        CU_register_suites(suites);
    else
        add_by_call(strcmp(form, "macro") == 0);
    if (strcmp(runner, "automated") == 0)
        CU_automated_run_tests();
    else if (strcmp(runner, "console") == 0)
        CU_console_run_tests();
    else if (strcmp(runner, "plain") == 0)
        CU_run_all_tests();
    else
        CU_basic_run_tests();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    return failed == 1 ? 0 : 1;
}
