/* SPDX-License-Identifier: Apache-2.0
 * class: atomicity, two critical sections
 * bug: the length is taken in one section and used as an index in the next
 * expect: FAILING, the last element is gone by then */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int list[4] = { 10, 20, 30, 40 }, length = 4;

static void *remove_last(void *unused)
{
    pthread_mutex_lock(&lock);
    list[--length] = -1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *read_last(void *unused)
{
    pthread_mutex_lock(&lock);
    int n = length;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    int last = list[n - 1];
    pthread_mutex_unlock(&lock);
    assert(last > 0);
    return unused;
}

int main(void)
{
    run_two(remove_last, read_last);
}
