/* SPDX-License-Identifier: Apache-2.0
 * class: deadlock, cycle of 7
 * bug: seven cells, each locks itself and its neighbour
 * expect: FAILING, deadlock */
#include "threads.h"

#define RING 7

struct cell { pthread_mutex_t lock; int heat; };

static struct cell cell[RING];

static void *spread(void *number)
{
    unsigned at = (unsigned)(uintptr_t)number;
    struct cell *from = &cell[at], *to = &cell[(at + 1) % RING];
#ifdef FIXED
    struct cell *first = from < to ? from : to, *second = from < to ? to : from;
#else
    struct cell *first = from, *second = to;
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->heat--;
    to->heat++;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return NULL;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < RING; i++)
        pthread_mutex_init(&cell[i].lock, NULL);
    run_many(RING, spread);
    for (int i = 0; i < RING; i++)
        sum += cell[i].heat;
    assert(sum == 0);
}
