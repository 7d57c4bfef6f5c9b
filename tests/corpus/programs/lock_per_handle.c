/* SPDX-License-Identifier: Apache-2.0
 * class: lock on a copy
 * bug: every handle carries a lock of its own for the one counter behind it
 * expect: FAILING, an update is lost */
#include "threads.h"

struct counter { long value; pthread_mutex_t lock; };
struct handle { struct counter *counter; pthread_mutex_t lock; };

static struct counter counter = { 0, PTHREAD_MUTEX_INITIALIZER };

static struct handle *open_handle(void)
{
    struct handle *h = malloc(sizeof *h);
    h->counter = &counter;
    pthread_mutex_init(&h->lock, NULL);
    return h;
}

static void *add(void *handle)
{
    struct handle *h = handle;
#ifdef FIXED
    pthread_mutex_t *lock = &h->counter->lock;
#else
    pthread_mutex_t *lock = &h->lock;
#endif
    pthread_mutex_lock(lock);
    h->counter->value++;
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    struct handle *one = open_handle(), *two = open_handle();
    pthread_t a = spawn(add, one), b = spawn(add, two);
    join(a);
    join(b);
    assert(counter.value == 2);
    free(one);
    free(two);
}
