/* SPDX-License-Identifier: Apache-2.0
 * The twin of ring_buffer_test.c: the slot is filled before the index is published. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

enum { SLOTS = 4, ITEMS = 3 };

static int slot[SLOTS];
static atomic_uint head, tail; /* next to fill, next to take */

static bool push(int item)
{
    unsigned at = atomic_load(&head);
    if (at - atomic_load(&tail) == SLOTS)
        return false;
    slot[at % SLOTS] = item;
    atomic_store(&head, at + 1);
    return true;
}

static bool pop(int *item)
{
    unsigned at = atomic_load(&tail);
    if (at == atomic_load(&head))
        return false;
    *item = slot[at % SLOTS];
    atomic_store(&tail, at + 1);
    return true;
}

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++)
        push(i);
    return unused;
}

static void *consume(void *data)
{
    int *taken = data;
    for (int i = 0; i < ITEMS; i++)
        if (!pop(&taken[i]))
            break;
    return NULL;
}

/* The consumer may come too early for some; what it gets is what was put in. */
static void test_in_order(void)
{
    pthread_t producer, consumer;
    int taken[ITEMS] = { 1, 2, 3 };
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, taken);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    for (int i = 0; i < ITEMS; i++)
        CU_ASSERT_EQUAL(taken[i], i + 1);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("ring_buffer", NULL, NULL);
    CU_add_test(suite, "in_order", test_in_order);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
