/* SPDX-License-Identifier: Apache-2.0
 * class: thread-local leaked
 * bug: the value of a key is published, and its destructor frees it at the thread's end
 * expect: FAILING, use after free */
#include "threads.h"

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *published;

static void release(void *value)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    published = NULL;
    pthread_mutex_unlock(&lock);
#endif
    free(value);
}

static void *owner(void *unused)
{
    int *value = malloc(sizeof *value);
    *value = 3;
    pthread_setspecific(key, value);
    pthread_mutex_lock(&lock);
    published = value;
    pthread_mutex_unlock(&lock);
    compute();
    return unused;
}

static void *guest(void *unused)
{
    pthread_mutex_lock(&lock);
    if (published)
        assert(*published == 3);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_key_create(&key, release);
    run_two(guest, owner);
}
