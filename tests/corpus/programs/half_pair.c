/* SPDX-License-Identifier: Apache-2.0
 * class: half-done multi-word update
 * bug: the two halves of a position are written one by one
 * expect: FAILING, a position that never was */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int x, y; } place;

static void *move(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    place.x = 1;
    place.y = 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    int x = place.x, y = place.y;
    pthread_mutex_unlock(&lock);
    assert(x == y);
    return unused;
}

int main(void)
{
    run_two(move, look);
}
