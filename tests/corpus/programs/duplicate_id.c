/* SPDX-License-Identifier: Apache-2.0
 * class: atomicity, two critical sections
 * bug: the next id is looked at and advanced in two critical sections
 * expect: FAILING, two threads get one id */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_id = 1, id[2];

static void *register_self(void *slot)
{
    pthread_mutex_lock(&lock);
    int mine = next_id;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    next_id = mine + 1;
    pthread_mutex_unlock(&lock);
    *(int *)slot = mine;
    return NULL;
}

int main(void)
{
    pthread_t a = spawn(register_self, &id[0]), b = spawn(register_self, &id[1]);
    join(a);
    join(b);
    assert(id[0] != id[1]);
}
