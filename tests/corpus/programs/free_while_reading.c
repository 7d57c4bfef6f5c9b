/* SPDX-License-Identifier: Apache-2.0
 * class: use after free
 * bug: the writer frees the old configuration while a reader may still look at it
 * expect: FAILING, use after free */
#include "threads.h"

struct config { int size, checked; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *current;

static struct config *make(int size)
{
    struct config *c = malloc(sizeof *c);
    c->size = size;
    c->checked = size * 2;
    return c;
}

static void *replace(void *unused)
{
    struct config *fresh = make(8);
    pthread_mutex_lock(&lock);
    struct config *old = current;
    current = fresh;
    pthread_mutex_unlock(&lock);
    free(old);
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    struct config *c = current;
#ifdef FIXED
    assert(c->checked == 2 * c->size);
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_unlock(&lock);
    assert(c->checked == 2 * c->size);
#endif
    return unused;
}

int main(void)
{
    current = make(4);
    run_two(look, replace);
    free(current);
}
