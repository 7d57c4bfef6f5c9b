/* SPDX-License-Identifier: Apache-2.0
 * Assertions that fail in two threads: CUnit allocates and copies in their name. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>
#include <pthread.h>
#include <string.h>

static char target[8];

static void *work(void *unused)
{
    CU_ASSERT(target[0] == 'x');
    CU_ASSERT_STRING_EQUAL(target, "x");
    return unused;
}

static void asserts(void)
{
    pthread_t thread;
    strcpy(target, "y");
    pthread_create(&thread, NULL, work, NULL);
    CU_ASSERT_STRING_EQUAL(target, "x");
    pthread_join(thread, NULL);
}

int main(void)
{
    CU_initialize_registry();
    CU_add_test(CU_add_suite("memory", NULL, NULL), "asserts", asserts);
    CU_basic_run_tests();
    CU_cleanup_registry();
    return 0;
}
