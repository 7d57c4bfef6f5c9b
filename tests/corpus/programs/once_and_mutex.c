/* SPDX-License-Identifier: Apache-2.0
 * class: deadlock through once
 * bug: the initialiser takes a lock that another thread holds when it asks for the initialisation
 * expect: FAILING, deadlock of a mutex and a once */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;

static void set_up(void)
{
#ifndef FIXED
    pthread_mutex_lock(&lock);
#endif
    table = 1;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *plain_user(void *unused)
{
    pthread_once(&once, set_up);
    return unused;
}

static void *locked_user(void *unused)
{
    compute();
    pthread_mutex_lock(&lock);
    pthread_once(&once, set_up);
    assert(table == 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_two(plain_user, locked_user);
}
