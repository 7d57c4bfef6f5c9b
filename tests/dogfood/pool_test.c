/* SPDX-License-Identifier: Apache-2.0
 * The replayer's pool, checked by heddle itself: results come in the order of the jobs, a worker
 * that dies costs its own result alone, and whatever ends the pool (its caller, a signal that
 * another thread sends at any moment) leaves no process and no descriptor behind. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

#include "record/interrupt.h"
#include "replay/pool.h"

enum { JOBS = 4, LONG = 70000, ALL = JOBS };

static unsigned told, told_before;
static size_t last;

static void wait_for_the_end(void)
{
    sigset_t end, before;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, &before);
    while (!hd_interrupted())
        sigsuspend(&before);
}

/* Job 1 says more than a pipe holds; job 2 dies in the middle, and what it said is dropped; those after the last one run until they are ended. */
static void work(size_t job, FILE *out, void *data)
{
    if (job > *(size_t *)data)
        wait_for_the_end();
    fprintf(out, "job %zu", job);
    for (size_t i = 0; job == 1 && i < LONG; i++)
        putc('x', out);
    if (job == 2) {
        fflush(out);
        raise(SIGKILL);
    }
}

static bool done(size_t job, const uint8_t *bytes, size_t size, void *data)
{
    char expected[16];
    size_t length = (size_t)snprintf(expected, sizeof expected, "job %zu", job);
    CU_ASSERT_EQUAL(job, told);
    CU_ASSERT_EQUAL(size, job == 2 ? 0 : length + (job == 1 ? LONG : 0));
    CU_ASSERT(job == 2 || (size >= length && memcmp(bytes, expected, length) == 0));
    __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
    return job != *(size_t *)data;
}

static bool no_child_is_left(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* The lowest free descriptor: the same before and after, where none was lost. */
static int lowest_free(void)
{
    int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

static int run_jobs(unsigned jobs, size_t until, char *error, size_t size)
{
    int before = lowest_free();
    __atomic_store_n(&told, 0, __ATOMIC_RELAXED);
    last = until;
    int failed = hd_pool_run(JOBS, jobs, work, done, &last, error, size);
    CU_ASSERT(no_child_is_left());
    CU_ASSERT_EQUAL(lowest_free(), before);
    return failed;
}

static void test_one_at_a_time(void)
{
    char error[128] = "";
    CU_ASSERT_EQUAL(run_jobs(1, ALL, error, sizeof error), 0);
    CU_ASSERT_EQUAL(told, JOBS);
}

static void test_two_at_a_time(void)
{
    char error[128] = "";
    CU_ASSERT_EQUAL(run_jobs(2, ALL, error, sizeof error), 0);
    CU_ASSERT_EQUAL(told, JOBS);
}

static void test_stopped(void)
{
    char error[128] = "";
    CU_ASSERT_EQUAL(run_jobs(3, 1, error, sizeof error), 0);
    CU_ASSERT_EQUAL(told, 2);
}

/* Where this looks is where the signal comes: the alternatives are the moments. */
static void *interrupt(void *main_thread)
{
    told_before = __atomic_load_n(&told, __ATOMIC_RELAXED);
    return pthread_kill(*(pthread_t *)main_thread, SIGTERM) == 0 ? main_thread : NULL;
}

/* Before the pool, in it, or when all is told: nothing else may come of it. The last test, for an
 * interrupt is for good. */
static void test_interrupted(void)
{
    char error[128] = "";
    pthread_t self = pthread_self(), other;
    int wake = hd_interrupt_catch(-1);
    __atomic_store_n(&told, 0, __ATOMIC_RELAXED);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&other, NULL, interrupt, &self), 0);
    int failed = run_jobs(2, ALL, error, sizeof error);
    bool interrupted = hd_interrupted();
    CU_ASSERT(failed ? interrupted && strcmp(error, "interrupted") == 0 : told == JOBS);
    void *sent;
    CU_ASSERT_EQUAL(pthread_join(other, &sent), 0);
    CU_ASSERT_PTR_NOT_NULL(sent);
    CU_ASSERT_EQUAL(hd_interrupted(), SIGTERM);
    CU_ASSERT(told_before <= told);
    hd_interrupt_release(wake);
}

/* pool_test [TEST] */
int main(int argc, char **argv)
{
    static const CU_TestInfo tests[] = {{"one_at_a_time", test_one_at_a_time},
                                        {"two_at_a_time", test_two_at_a_time},
                                        {"stopped", test_stopped},
                                        {"interrupted", test_interrupted},
                                        CU_TEST_INFO_NULL};
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("pool", NULL, NULL);
    for (const CU_TestInfo *t = tests; t->pName; t++)
        if (argc < 2 || strcmp(argv[1], t->pName) == 0)
            CU_add_test(suite, t->pName, t->pTestFunc);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    bool failed = CU_get_number_of_failures() || !CU_get_number_of_tests_run();
    CU_cleanup_registry();
    return failed;
}
