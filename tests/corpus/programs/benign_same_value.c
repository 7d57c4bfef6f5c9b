/* SPDX-License-Identifier: Apache-2.0
 * class: benign race
 * bug: none: both threads write what the other writes
 * expect: harmless, in both forms */
#include "threads.h"

static int is_initialised, answer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *initialise(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#else
    (void)lock;
#endif
    if (!is_initialised) {
        answer = 42;
        is_initialised = 1;
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    run_two(initialise, initialise);
    assert(answer == 42 && is_initialised);
}
