/* SPDX-License-Identifier: Apache-2.0
 * Gate lock: two mutexes taken in opposite order, which is no deadlock here:
 * only who has passed the gate takes either. There is no bug in this program. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;
static long left, right;

static void *move_right(void *unused)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&left_lock);
    pthread_mutex_lock(&right_lock);
    left -= 10;
    right += 10;
    pthread_mutex_unlock(&right_lock);
    pthread_mutex_unlock(&left_lock);
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *move_left(void *unused)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&right_lock);
    pthread_mutex_lock(&left_lock);
    right -= 5;
    left += 5;
    pthread_mutex_unlock(&left_lock);
    pthread_mutex_unlock(&right_lock);
    pthread_mutex_unlock(&gate);
    return unused;
}

static void test_swap(void)
{
    pthread_t rightward, leftward;
    left = right = 100;
    pthread_create(&rightward, NULL, move_right, NULL);
    pthread_create(&leftward, NULL, move_left, NULL);
    pthread_join(rightward, NULL);
    pthread_join(leftward, NULL);
    CU_ASSERT_EQUAL(left, 95);
    CU_ASSERT_EQUAL(right, 105);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("gate_lock", NULL, NULL);
    CU_add_test(suite, "swap", test_swap);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
