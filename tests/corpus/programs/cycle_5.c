/* SPDX-License-Identifier: Apache-2.0
 * class: deadlock, cycle of 5
 * bug: five threads, five locks, a circle
 * expect: FAILING, deadlock */
#include "threads.h"

#define RING 5

static pthread_mutex_t lock[RING];
static int inside[RING];

static void *cross(void *number)
{
    unsigned here = (unsigned)(uintptr_t)number, there = (here + 1) % RING;
#ifdef FIXED
    unsigned first = here < there ? here : there, second = here < there ? there : here;
#else
    unsigned first = here, second = there;
#endif
    pthread_mutex_lock(&lock[first]);
    pthread_mutex_lock(&lock[second]);
    inside[here]++;
    inside[there]--;
    pthread_mutex_unlock(&lock[second]);
    pthread_mutex_unlock(&lock[first]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < RING; i++)
        pthread_mutex_init(&lock[i], NULL);
    run_many(RING, cross);
    for (int i = 0; i < RING; i++)
        assert(inside[i] == 0);
}
