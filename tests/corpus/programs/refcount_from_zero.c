/* SPDX-License-Identifier: Apache-2.0
 * class: refcount drop to zero
 * bug: a reader takes a reference of an object that may be gone already
 * expect: FAILING, use after free */
#include "threads.h"

struct object { int references, payload; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *published;

static void put(struct object *o)
{
    pthread_mutex_lock(&lock);
    bool last = --o->references == 0;
    if (last && published == o)
        published = NULL;
    pthread_mutex_unlock(&lock);
    if (last)
        free(o);
}

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    struct object *o = published;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (o)
        o->references++;
    pthread_mutex_unlock(&lock);
    if (o) {
        assert(o->payload == 3);
        put(o);
    }
    return unused;
}

static void *drop(void *unused)
{
    put(published);
    return unused;
}

int main(void)
{
    published = malloc(sizeof *published);
    *published = (struct object){ 1, 3 };
    run_two(use, drop);
}
