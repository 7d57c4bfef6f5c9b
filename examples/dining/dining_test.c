/* SPDX-License-Identifier: Apache-2.0
 * Dining philosophers: three threads, three forks, everyone takes the left one first. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

enum { SEATS = 3 };

static pthread_mutex_t fork_lock[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};
static const int seat[SEATS] = { 0, 1, 2 };
static int meals[SEATS];

static void *dine(void *data)
{
    int left = *(const int *)data, right = (left + 1) % SEATS;
    pthread_mutex_lock(&fork_lock[left]); /* the bug: all may hold their left fork at once */
    pthread_mutex_lock(&fork_lock[right]);
    meals[left]++;
    pthread_mutex_unlock(&fork_lock[right]);
    pthread_mutex_unlock(&fork_lock[left]);
    return NULL;
}

static void test_dinner(void)
{
    pthread_t philosopher[SEATS];
    for (int i = 0; i < SEATS; i++)
        pthread_create(&philosopher[i], NULL, dine, (void *)&seat[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(philosopher[i], NULL);
    for (int i = 0; i < SEATS; i++)
        CU_ASSERT_EQUAL(meals[i], 1);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("dining", NULL, NULL);
    CU_add_test(suite, "dinner", test_dinner);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
