/* SPDX-License-Identifier: Apache-2.0
 * Hidden race: y has no lock of its own. When the test's thread takes the lock
 * on x first, as it does in nearly every run, that lock happens to order the
 * two increments of y, and a detector that judges the run sees no race. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t x_lock = PTHREAD_MUTEX_INITIALIZER;
long x; /* guarded by x_lock; the last writer wins, either is fine */
long y;

static void *worker(void *unused)
{
    pthread_mutex_lock(&x_lock);
    x = 2;
    pthread_mutex_unlock(&x_lock);
    y++; /* the bug */
    return unused;
}

static void test_count(void)
{
    pthread_t thread;
    y = 0;
    pthread_create(&thread, NULL, worker, NULL);
    y++; /* the bug's other half */
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
