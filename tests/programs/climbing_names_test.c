/* SPDX-License-Identifier: Apache-2.0
 * Lost updates in tests whose names lead out of any folder. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static long count;

static void *add(void *unused)
{
    count = count + 1;
    return unused;
}

static void test_add(void)
{
    pthread_t a, b;
    count = 0;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    CU_ASSERT(count == 2);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("../../suite", NULL, NULL);
    CU_add_test(suite, "../../climbs", test_add);
    CU_add_test(suite, "../..", test_add);
    CU_add_test(suite, "/tmp/heddle-absolute", test_add);
    CU_add_test(suite, "--option", test_add);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    CU_cleanup_registry();
    return 0;
}
