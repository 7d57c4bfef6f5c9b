/* SPDX-License-Identifier: Apache-2.0
 * The twin of if_instead_of_while_test.c: looked at again after every wait. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

struct item {
    struct item *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static struct item *items;

static void put(struct item *item)
{
    pthread_mutex_lock(&lock);
    item->next = items;
    items = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static struct item *take(void)
{
    pthread_mutex_lock(&lock);
    while (!items)
        pthread_cond_wait(&not_empty, &lock);
    struct item *item = items;
    items = item->next;
    pthread_mutex_unlock(&lock);
    return item;
}

static sem_t started;

static void *consume(void *number)
{
    sem_post(&started);
    *(int *)number = take()->number;
    return NULL;
}

static void test_two_consumers(void)
{
    pthread_t first, second;
    static struct item one = { .number = 1 }, two = { .number = 2 };
    int a = 0, b = 0;
    sem_init(&started, 0, 0);
    pthread_create(&first, NULL, consume, &a);
    sem_wait(&started);
    put(&one);
    pthread_create(&second, NULL, consume, &b);
    put(&two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CU_ASSERT_EQUAL(a + b, 3);
    sem_destroy(&started);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("if_instead_of_while", NULL, NULL);
    CU_add_test(suite, "two_consumers", test_two_consumers);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
