/* SPDX-License-Identifier: Apache-2.0
 * class: detached-thread lifetime
 * bug: a detached thread writes to memory that its starter frees after "long enough"
 * expect: FAILING, use after free */
#include <semaphore.h>

#include "threads.h"

struct request { int value, logged; };

static sem_t answered, ended;

static void *serve(void *argument)
{
    struct request *r = argument;
    r->value *= 2;
#ifdef FIXED
    r->logged = 1;
    sem_post(&answered);
#else
    sem_post(&answered);
    r->logged = 1;
#endif
    sem_post(&ended);
    return NULL;
}

int main(void)
{
    struct request *r = calloc(1, sizeof *r);
    r->value = 4;
    sem_init(&answered, 0, 0);
    sem_init(&ended, 0, 0);
    pthread_detach(spawn(serve, r));
    sem_wait(&answered);
    compute();
    assert(r->value == 8);
    free(r);
    sem_wait(&ended);
}
