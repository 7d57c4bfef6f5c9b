/* SPDX-License-Identifier: Apache-2.0
 * Order violation at the start: the thread is created first, and told what to
 * work with afterwards. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

struct worker {
    pthread_t thread;
    const int *input;
    int sum;
};

static const int numbers[] = { 1, 2, 3, 0 };

static void *add_up(void *data)
{
    struct worker *w = data;
    int sum = 0;
    usleep(20000); /* which makes it rare, not right */
    for (const int *p = w->input; *p; p++)
        sum += *p;
    w->sum = sum;
    return NULL;
}

static void worker_start(struct worker *w, const int *input)
{
    pthread_create(&w->thread, NULL, add_up, w);
    w->input = input; /* the bug: the thread may have looked already */
}

static void test_start(void)
{
    static struct worker worker;
    worker_start(&worker, numbers);
    pthread_join(worker.thread, NULL);
    CU_ASSERT_EQUAL(worker.sum, 6);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("start_order", NULL, NULL);
    CU_add_test(suite, "start", test_start);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
