/* SPDX-License-Identifier: Apache-2.0
 * Wrong only after two reorderings: the first one passes, and opens a branch that the recording never took. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int early, count;

static void add_one(void)
{
    pthread_mutex_lock(&lock);
    int seen = count;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    count = seen + 1;
    pthread_mutex_unlock(&lock);
}

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    early = 1;
    pthread_mutex_unlock(&lock);
    add_one();
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&lock);
    int was_early = early;
    pthread_mutex_unlock(&lock);
    if (!was_early)
        add_one();
    return unused;
}

static void test(void)
{
    pthread_t a, b;
    early = count = 0;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    CU_ASSERT(early == 1);
    CU_ASSERT(count == 1 || count == 2);
    CU_ASSERT(count != 1 || early);
}

static int expected_two;

static void *counts_second(void *unused)
{
    pthread_mutex_lock(&lock);
    int was_early = early;
    expected_two = !was_early;
    pthread_mutex_unlock(&lock);
    if (!was_early)
        add_one();
    return unused;
}

static void strict(void)
{
    pthread_t a, b;
    early = count = expected_two = 0;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, counts_second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    CU_ASSERT_EQUAL(count, expected_two ? 2 : 1);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("steps", NULL, NULL);
    CU_add_test(suite, "loose", test);
    CU_add_test(suite, "strict", strict);
    CU_basic_run_tests();
    CU_cleanup_registry();
    return 0;
}
