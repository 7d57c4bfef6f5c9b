/* SPDX-License-Identifier: Apache-2.0
 * The twin of refcount_test.c: the decrement itself says who is last. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static atomic_int references;
static atomic_int closed; /* how often */

static void file_open(int users)
{
    atomic_store(&references, users);
    atomic_store(&closed, 0);
}

static void file_put(void)
{
    if (atomic_fetch_sub(&references, 1) == 1)
        atomic_fetch_add(&closed, 1);
}

static void *use(void *unused)
{
    file_put();
    return unused;
}

static void test_last_one_closes(void)
{
    pthread_t first, second;
    file_open(2);
    pthread_create(&first, NULL, use, NULL);
    pthread_create(&second, NULL, use, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CU_ASSERT_EQUAL(atomic_load(&closed), 1);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("refcount", NULL, NULL);
    CU_add_test(suite, "last_one_closes", test_last_one_closes);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
