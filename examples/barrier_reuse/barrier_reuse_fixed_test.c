/* SPDX-License-Identifier: Apache-2.0
 * The twin of barrier_reuse_test.c: a second wait ends the round. */
#include <pthread.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

enum { ROUNDS = 2 };

static pthread_barrier_t barrier;
static int value;

static void *read_rounds(void *data)
{
    int *seen = data;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        seen[round] = value;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void write_rounds(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        value = round + 1;
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
}

static void test_rounds(void)
{
    pthread_t reader;
    int seen[ROUNDS] = { 0 };
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&reader, NULL, read_rounds, seen);
    write_rounds();
    pthread_join(reader, NULL);
    for (int round = 0; round < ROUNDS; round++)
        CU_ASSERT_EQUAL(seen[round], round + 1);
    pthread_barrier_destroy(&barrier);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("barrier_reuse", NULL, NULL);
    CU_add_test(suite, "rounds", test_rounds);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
