/* SPDX-License-Identifier: Apache-2.0
 * class: conditional nested locking
 * bug: the second lock is taken, in the wrong order, only if the first table is full
 * expect: FAILING, deadlock behind a condition that the recorded run did not meet */
#include "threads.h"

static pthread_mutex_t hot_lock = PTHREAD_MUTEX_INITIALIZER, cold_lock = PTHREAD_MUTEX_INITIALIZER;
static int hot, cold;

static void *fill(void *unused)
{
    pthread_mutex_lock(&hot_lock);
    hot = 3;
    pthread_mutex_unlock(&hot_lock);
    return unused;
}

static void *add(void *unused)
{
    pthread_mutex_lock(&hot_lock);
    if (hot == 3) {
        pthread_mutex_lock(&cold_lock);
        cold += hot;
        hot = 0;
        pthread_mutex_unlock(&cold_lock);
    }
    hot++;
    pthread_mutex_unlock(&hot_lock);
    return unused;
}

static void *promote(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&hot_lock);
    pthread_mutex_lock(&cold_lock);
#else
    pthread_mutex_lock(&cold_lock);
    pthread_mutex_lock(&hot_lock);
#endif
    cold--;
    hot++;
    pthread_mutex_unlock(&hot_lock);
    pthread_mutex_unlock(&cold_lock);
    return unused;
}

int main(void)
{
    pthread_t a = spawn(add, NULL), b = spawn(fill, NULL), c = spawn(promote, NULL);
    join(a);
    join(b);
    join(c);
}
