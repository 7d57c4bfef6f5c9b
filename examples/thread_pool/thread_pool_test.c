/* SPDX-License-Identifier: Apache-2.0
 * Thread pool: shutdown waits until the queue is empty. A job that a worker
 * has taken from the queue and not finished is in no queue. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

enum { WORKERS = 2, JOBS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queued; /* jobs that nobody has taken */
static bool stopping;
static int done; /* jobs finished */

static void job(void)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!queued && !stopping)
            pthread_cond_wait(&changed, &lock);
        if (!queued)
            break;
        queued--;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        job();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void pool_start(void)
{
    for (int i = 0; i < WORKERS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
        pthread_detach(thread);
    }
}

static void pool_submit(void)
{
    pthread_mutex_lock(&lock);
    queued++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* The bug: it waits for jobs to be taken, not for the workers that took them. */
static void pool_shutdown(void)
{
    pthread_mutex_lock(&lock);
    while (queued)
        pthread_cond_wait(&changed, &lock);
    stopping = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    usleep(20000); /* which makes it rare, not right */
}

static void test_shutdown(void)
{
    pool_start();
    for (int i = 0; i < JOBS; i++)
        pool_submit();
    pool_shutdown();
    pthread_mutex_lock(&lock);
    CU_ASSERT_EQUAL(done, JOBS);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("thread_pool", NULL, NULL);
    CU_add_test(suite, "shutdown", test_shutdown);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
