/* SPDX-License-Identifier: Apache-2.0
 * A lost update in a test whose name, suite and assertion are full of markup. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    long seen = count;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    count = seen + 1;
    pthread_mutex_unlock(&lock);
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
    CU_ASSERT(count == 2 && "</script><script>alert('x')</script>]]>");
}

/* Fails as it is recorded. */
static void test_wrong(void)
{
    CU_ASSERT(count < 0 && "<img src=x onerror=alert(1)>");
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("a<i>&'b'", NULL, NULL);
    CU_add_test(suite, "<b>&\"x\"", test_add);
    CU_add_test(suite, "\x01 \xff\xc3\xa4", test_wrong);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    CU_cleanup_registry();
    return 0;
}
