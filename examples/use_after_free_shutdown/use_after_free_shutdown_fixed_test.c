/* SPDX-License-Identifier: Apache-2.0
 * The twin of use_after_free_shutdown_test.c: the worker is joined before its log is closed. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

struct log {
    sem_t written;
    int *lines;
    int last;
};

static void log_line(struct log *log, int line)
{
    log->lines[log->last++] = line;
}

static void *work(void *data)
{
    struct log *log = data;
    log_line(log, 1);
    sem_post(&log->written);
    log_line(log, 2);
    return NULL;
}

static struct log *log_open(void)
{
    struct log *log = malloc(sizeof *log);
    sem_init(&log->written, 0, 0);
    log->lines = calloc(4, sizeof *log->lines);
    log->last = 0;
    return log;
}

static void log_close(struct log *log)
{
    free(log->lines);
    log->lines = NULL;
    sem_destroy(&log->written);
    free(log);
}

static void test_shutdown(void)
{
    pthread_t worker;
    struct log *log = log_open();
    pthread_create(&worker, NULL, work, log);
    sem_wait(&log->written);
    CU_ASSERT_EQUAL(log->lines[0], 1);
    pthread_join(worker, NULL);
    log_close(log);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("use_after_free_shutdown", NULL, NULL);
    CU_add_test(suite, "shutdown", test_shutdown);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
