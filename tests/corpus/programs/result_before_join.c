/* SPDX-License-Identifier: Apache-2.0
 * class: order violation at shutdown
 * bug: the result is read after the join of the wrong thread
 * expect: FAILING, the result is not there yet */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *multiply(void *unused)
{
    pthread_mutex_lock(&lock);
    result = 6 * 7;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *something_else(void *unused)
{
    compute();
    return unused;
}

int main(void)
{
    pthread_t worker = spawn(multiply, NULL), other = spawn(something_else, NULL);
#ifdef FIXED
    join(worker);
#else
    join(other);
#endif
    pthread_mutex_lock(&lock);
    int seen = result;
    pthread_mutex_unlock(&lock);
#ifdef FIXED
    join(other);
#else
    join(worker);
#endif
    assert(seen == 42);
}
