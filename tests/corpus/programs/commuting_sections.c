/* SPDX-License-Identifier: Apache-2.0
 * class: critical-section commutativity
 * bug: both sections only count, so they commute; the copy after them is not protected by anything
 * expect: FAILING, the copy is taken while it is being written */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, from, to;

static void count(void)
{
    pthread_mutex_lock(&lock);
    rounds++;
    pthread_mutex_unlock(&lock);
}

static void *move(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    from -= 5;
    to += 5;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    count();
    return unused;
}

static void *compare(void *unused)
{
    count();
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    int sum = from + to;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    assert(sum == 100);
    return unused;
}

int main(void)
{
    from = 100;
    run_two(move, compare);
    assert(rounds == 2);
}
