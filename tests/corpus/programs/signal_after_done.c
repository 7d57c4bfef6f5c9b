/* SPDX-License-Identifier: Apache-2.0
 * class: use after free
 * bug: the worker says that it is done and lets go of the lock before it signals; who asked may see that, not wait,
 *      and free the request with the condition in it
 * expect: FAILING, the condition is signalled after it is gone; no plain access touches the block then */
#include <stdlib.h>

#include "one_test.h"
#include "threads.h"

struct request { pthread_mutex_t lock; pthread_cond_t answered; int done, answer; };

static void *work(void *asked)
{
    struct request *r = asked;
    pthread_mutex_lock(&r->lock);
    r->answer = 42;
    r->done = 1;
#ifdef FIXED
    pthread_cond_signal(&r->answered);
    pthread_mutex_unlock(&r->lock);
#else
    pthread_mutex_unlock(&r->lock);
    pthread_cond_signal(&r->answered);
#endif
    return NULL;
}

static struct request *ask(void)
{
    struct request *r = calloc(1, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->answered, NULL);
    return r;
}

ONE_TEST(an_answer_arrives)
{
    struct request *r = ask();
    pthread_t worker = spawn(work, r);
    pthread_mutex_lock(&r->lock);
    while (!r->done)
        pthread_cond_wait(&r->answered, &r->lock);
    int answer = r->answer;
    pthread_mutex_unlock(&r->lock);
    free(r);
    join(worker);
    CU_ASSERT_EQUAL(answer, 42);
}
