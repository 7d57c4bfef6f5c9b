/* SPDX-License-Identifier: Apache-2.0
 * Threads that outlive their test: one waits for a lock, one never stops. They run
 * free after its end; later tests are not disturbed, and can join them. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_t waiter, spinner;
static atomic_int stop;
long waited, turns, mine;

static void *wait_at_gate(void *unused)
{
    pthread_mutex_lock(&gate);
    waited = 1;
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *spin(void *unused)
{
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&inner);
        turns++;
        pthread_mutex_unlock(&inner);
    }
    return unused;
}

static void leaves_threads(void)
{
    pthread_mutex_lock(&gate);
    pthread_create(&waiter, NULL, wait_at_gate, NULL);
    pthread_create(&spinner, NULL, spin, NULL);
    CU_ASSERT(waited == 0);
}

static void *add(void *unused)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&gate);
        mine++;
        pthread_mutex_unlock(&gate);
    }
    return unused;
}

static void goes_on(void)
{
    pthread_t thread[2];
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    CU_ASSERT(mine == 40);
}

static void joins_them(void)
{
    atomic_store(&stop, 1);
    pthread_join(waiter, NULL);
    pthread_join(spinner, NULL);
    CU_ASSERT(waited == 1);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("leftovers", NULL, NULL);
    CU_ADD_TEST(suite, leaves_threads);
    CU_ADD_TEST(suite, goes_on);
    CU_ADD_TEST(suite, joins_them);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}
