/* SPDX-License-Identifier: Apache-2.0
 * class: create and join orders
 * bug: the parent takes the locks in the opposite order after it has created the child
 * expect: FAILING, deadlock; before the create: nothing */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add_under(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    sum++;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *child(void *unused)
{
    compute();
    add_under(&a, &b);
    return unused;
}

int main(void)
{
#ifdef FIXED
    add_under(&b, &a);
    pthread_t thread = spawn(child, NULL);
#else
    pthread_t thread = spawn(child, NULL);
    add_under(&b, &a);
#endif
    join(thread);
    assert(sum == 2);
}
