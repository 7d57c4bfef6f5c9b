/* SPDX-License-Identifier: Apache-2.0
 * Lost wakeup: the flag is set and signalled without the lock, so the signal may
 * come after the waiter has looked and before it waits. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool ready;
static int item;

static void *produce(void *unused)
{
    item = 7;
    atomic_store(&ready, true); /* the bug: without the lock */
    pthread_cond_signal(&changed);
    return unused;
}

static int consume(void)
{
    pthread_mutex_lock(&lock);
    while (!atomic_load(&ready))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return item;
}

static void test_one_item(void)
{
    pthread_t producer;
    atomic_store(&ready, false);
    item = 0;
    pthread_create(&producer, NULL, produce, NULL);
    CU_ASSERT_EQUAL(consume(), 7);
    pthread_join(producer, NULL);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("lost_wakeup", NULL, NULL);
    CU_add_test(suite, "one_item", test_one_item);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
