/* SPDX-License-Identifier: Apache-2.0
 * class: signal instead of broadcast
 * bug: producers and consumers wait for one condition; the signal may wake the wrong kind
 * expect: FAILING, everybody sleeps */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void tell(void)
{
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
}

static void *put(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items == 1)
        pthread_cond_wait(&changed, &lock);
    items++;
    tell();
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *get(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&changed, &lock);
    items--;
    tell();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[4] = { spawn(put, NULL), spawn(get, NULL), spawn(put, NULL), spawn(get, NULL) };
    for (int i = 0; i < 4; i++)
        join(thread[i]);
    assert(items == 0);
}
