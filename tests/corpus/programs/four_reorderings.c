/* SPDX-License-Identifier: Apache-2.0
 * class: 4 reorderings
 * bug: four players must each move between the others' moves for the lights to go out
 * expect: FAILING, needs four reads of another order */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static int hits;

static void bump(int expected)
{
    pthread_mutex_lock(&lock);
    if (turn == expected) {
        turn++;
        hits++;
    }
    pthread_mutex_unlock(&lock);
}

static void *odd(void *unused)
{
    bump(1);
    bump(3);
    return unused;
}

static void *even(void *unused)
{
    bump(0);
    bump(2);
    return unused;
}

int main(void)
{
    run_two(odd, even);
#ifdef FIXED
    assert(hits <= 4);
#else
    assert(hits < 4);
#endif
}
