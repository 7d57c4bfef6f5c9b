/* SPDX-License-Identifier: Apache-2.0
 * Upgrade: a reader becomes the writer once it is the only reader left. Two
 * readers that both want to wait for each other to leave. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

/* A lock for many readers or one writer. */
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writers;

static void lock_shared(void)
{
    pthread_mutex_lock(&inner);
    while (writers)
        pthread_cond_wait(&changed, &inner);
    readers++;
    pthread_mutex_unlock(&inner);
}

/* The bug: who waits here is still a reader to the others who wait here. */
static void upgrade(void)
{
    pthread_mutex_lock(&inner);
    while (readers > 1)
        pthread_cond_wait(&changed, &inner);
    readers--;
    writers++;
    pthread_mutex_unlock(&inner);
}

static void unlock_exclusive(void)
{
    pthread_mutex_lock(&inner);
    writers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&inner);
}

static int version;

static void *update(void *unused)
{
    lock_shared();
    int next = version + 1;
    upgrade();
    version = next;
    unlock_exclusive();
    return unused;
}

static void test_two_updates(void)
{
    pthread_t first, second;
    version = 0;
    pthread_create(&first, NULL, update, NULL);
    pthread_create(&second, NULL, update, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CU_ASSERT_EQUAL(version, 2);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("rwlock_upgrade", NULL, NULL);
    CU_add_test(suite, "two_updates", test_two_updates);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
