/* SPDX-License-Identifier: Apache-2.0
 * class: double free
 * bug: both sides free the buffer when the other one has failed
 * expect: FAILING, double free */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;

static void *give_up(void *unused)
{
    pthread_mutex_lock(&lock);
    char *mine = buffer;
#ifdef FIXED
    buffer = NULL;
#endif
    pthread_mutex_unlock(&lock);
    if (mine) {
        free(mine);
#ifndef FIXED
        pthread_mutex_lock(&lock);
        buffer = NULL;
        pthread_mutex_unlock(&lock);
#endif
    }
    return unused;
}

int main(void)
{
    buffer = malloc(32);
    run_two(give_up, give_up);
    assert(!buffer);
}
