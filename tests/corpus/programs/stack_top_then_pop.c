/* SPDX-License-Identifier: Apache-2.0
 * class: check-then-act on a stack
 * bug: top() and pop() are two calls; what was looked at is not what is removed
 * expect: FAILING, one job is done twice */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stack[4] = { 1, 2, 3, 4 }, height = 4;
static int done[5];

static int top(void)
{
    pthread_mutex_lock(&lock);
    int job = stack[height - 1];
    pthread_mutex_unlock(&lock);
    return job;
}

static int pop(void)
{
    pthread_mutex_lock(&lock);
    int job = stack[--height];
    pthread_mutex_unlock(&lock);
    return job;
}

static void *work(void *unused)
{
#ifdef FIXED
    int job = pop();
    (void)top;
#else
    int job = top();
    pop();
#endif
    pthread_mutex_lock(&lock);
    done[job]++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_two(work, work);
    for (int i = 1; i < 5; i++)
        assert(done[i] <= 1);
}
