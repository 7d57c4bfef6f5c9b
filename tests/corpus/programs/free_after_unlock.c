/* SPDX-License-Identifier: Apache-2.0
 * class: use after free
 * bug: the waiter frees the ticket as soon as it is done; the worker still unlocks it
 * expect: FAILING, use after free */
#include "threads.h"

struct ticket { pthread_mutex_t lock; int done, seen; };

static void *work(void *argument)
{
    struct ticket *t = argument;
    pthread_mutex_lock(&t->lock);
    t->done = 1;
    pthread_mutex_unlock(&t->lock);
#ifndef FIXED
    t->seen = 1;
#endif
    return NULL;
}

int main(void)
{
    struct ticket *t = calloc(1, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_t worker = spawn(work, t);
    for (int done = 0; !done;) {
        pthread_mutex_lock(&t->lock);
        done = t->done;
        pthread_mutex_unlock(&t->lock);
        if (!done)
            sched_yield();
    }
    free(t);
    join(worker);
}
