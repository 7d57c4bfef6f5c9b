/* SPDX-License-Identifier: Apache-2.0
 * The twin of double_checked_init_test.c: the flag goes up last. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready;
static struct {
    int retries, timeout;
} settings;

static int retries(void)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&ready)) {
            settings.retries = 3;
            settings.timeout = 100;
            atomic_store(&ready, true);
        }
        pthread_mutex_unlock(&lock);
    }
    return settings.retries;
}

static void *use(void *seen)
{
    *(int *)seen = retries();
    return NULL;
}

static void test_first_use(void)
{
    pthread_t first, second;
    int a = 0, b = 0;
    pthread_create(&first, NULL, use, &a);
    pthread_create(&second, NULL, use, &b);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CU_ASSERT_EQUAL(a, 3);
    CU_ASSERT_EQUAL(b, 3);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("double_checked_init", NULL, NULL);
    CU_add_test(suite, "first_use", test_first_use);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
