/* SPDX-License-Identifier: Apache-2.0
 * A fatal assertion longjmps past the wrapper of its test; the next test is recorded all the same. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>

long first, second;

static void fatal(void)
{
    first = 1;
    CU_ASSERT_FATAL(first == 2);
    first = 3;
}

static void next(void)
{
    second = 2;
    CU_ASSERT(second == 2);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("fatal", NULL, NULL);
    CU_add_test(suite, "fatal", fatal);
    CU_add_test(suite, "next", next);
    CU_basic_run_tests();
    CU_cleanup_registry();
    return 0;
}
