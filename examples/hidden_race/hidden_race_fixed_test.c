/* SPDX-License-Identifier: Apache-2.0
 * hidden_race_test.c without its bug. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t x_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t y_lock = PTHREAD_MUTEX_INITIALIZER;
long x; /* guarded by x_lock; the last writer wins, either is fine */
long y; /* guarded by y_lock */

/* The fix: y has a lock of its own. */
static void count(void)
{
    pthread_mutex_lock(&y_lock);
    y++;
    pthread_mutex_unlock(&y_lock);
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&x_lock);
    x = 2;
    pthread_mutex_unlock(&x_lock);
    count();
    return unused;
}

static void test_count(void)
{
    pthread_t thread;
    y = 0;
    pthread_create(&thread, NULL, worker, NULL);
    count();
    pthread_mutex_lock(&x_lock);
    x = 1;
    pthread_mutex_unlock(&x_lock);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(y, 2);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("hidden_race", NULL, NULL);
    CU_add_test(suite, "count", test_count);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
