/* SPDX-License-Identifier: Apache-2.0
 * A worker that the suite starts and ends: a stranger to every test, who takes its
 * jobs over a condition variable. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t worker;
static int job, done, stop;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!stop) {
        if (job) {
            job = 0;
            done++;
            pthread_cond_broadcast(&changed);
        } else
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static int start_worker(void)
{
    return pthread_create(&worker, NULL, work, NULL);
}

static int end_worker(void)
{
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return pthread_join(worker, NULL);
}

static void asks(void)
{
    pthread_mutex_lock(&lock);
    job = 1;
    done = 0;
    pthread_cond_broadcast(&changed);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    CU_ASSERT(done == 1);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("pool", start_worker, end_worker);
    CU_add_test(suite, "first", asks);
    CU_add_test(suite, "second", asks);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}
