/* SPDX-License-Identifier: Apache-2.0
 * A semaphore for a lock, and it starts with one too many: two threads are let in. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static sem_t room;
static int visits;

static void *visit(void *unused)
{
    sem_wait(&room);
    visits++;
    sem_post(&room);
    return unused;
}

static void test_two_visits(void)
{
    pthread_t first, second;
    visits = 0;
    sem_init(&room, 0, 2); /* the bug: room for both */
    pthread_create(&first, NULL, visit, NULL);
    pthread_create(&second, NULL, visit, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CU_ASSERT_EQUAL(visits, 2);
    sem_destroy(&room);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("semaphore_misuse", NULL, NULL);
    CU_add_test(suite, "two_visits", test_two_visits);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
