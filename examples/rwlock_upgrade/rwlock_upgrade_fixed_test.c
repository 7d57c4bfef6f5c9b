/* SPDX-License-Identifier: Apache-2.0
 * The twin of rwlock_upgrade_test.c: who is going to write says so from the
 * start; there is one such reader at a time, beside any number of others. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

/* A lock for many readers or one writer. */
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writers;
static int upgrader; /* a reader that may become the writer */

static void lock_upgradable(void)
{
    pthread_mutex_lock(&inner);
    while (writers || upgrader)
        pthread_cond_wait(&changed, &inner);
    readers++;
    upgrader = 1;
    pthread_mutex_unlock(&inner);
}

static void upgrade(void)
{
    pthread_mutex_lock(&inner);
    while (readers > 1)
        pthread_cond_wait(&changed, &inner);
    readers--;
    upgrader = 0;
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
    lock_upgradable();
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
