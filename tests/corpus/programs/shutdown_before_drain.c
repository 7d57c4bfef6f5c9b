/* SPDX-License-Identifier: Apache-2.0
 * class: order violation at shutdown
 * bug: the worker looks at the stop flag before it looks at the queue
 * expect: FAILING, a job is left behind */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, done;
static bool stop;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!stop && !jobs)
            pthread_cond_wait(&changed, &lock);
#ifdef FIXED
        if (!jobs)
            break;
#else
        if (stop)
            break;
#endif
        jobs--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *submit(void *unused)
{
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

ONE_TEST(all_jobs_are_done)
{
    pthread_t worker = spawn(work, NULL), user = spawn(submit, NULL);
    join(user);
    compute();
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    join(worker);
    CU_ASSERT_EQUAL(done, 1);
}
