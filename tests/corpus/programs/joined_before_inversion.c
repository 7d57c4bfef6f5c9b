/* SPDX-License-Identifier: Apache-2.0
 * class: create and join orders
 * bug: the second thread is started before the first, of the opposite order, is joined
 * expect: FAILING, deadlock; where the join comes first: nothing */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *forth(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    sum++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *back(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    sum++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t first = spawn(forth, NULL);
#ifdef FIXED
    join(first);
#endif
    pthread_t second = spawn(back, NULL);
#ifndef FIXED
    join(first);
#endif
    join(second);
    assert(sum == 2);
}
