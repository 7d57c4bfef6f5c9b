/* SPDX-License-Identifier: Apache-2.0
 * class: 10 to 100 threads
 * bug: the hundredth thread to come finds the counter at its limit, unlocked before it is taken
 * expect: FAILING, more threads than places are let in */
#include "threads.h"

#define PLACES 99

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, most;

static void *enter(void *unused)
{
    pthread_mutex_lock(&lock);
    bool room = inside < PLACES;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (room && ++inside > most)
        most = inside;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_many(100, enter);
    assert(most <= PLACES);
}
