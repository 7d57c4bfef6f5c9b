/* SPDX-License-Identifier: Apache-2.0
 * class: critical-section commutativity
 * bug: the header is written before the lock is taken; only the order of the sections hides it
 * expect: FAILING, the header is not there yet */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int header, opened;

static void *open_log(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    header = 1;
#else
    header = 1;
    pthread_mutex_lock(&lock);
#endif
    opened++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *append(void *unused)
{
    compute();
#ifdef FIXED
    pthread_mutex_lock(&lock);
    int before = header;
    bool open = opened > 0;
    pthread_mutex_unlock(&lock);
    assert(!open || before == 1);
#else
    pthread_mutex_lock(&lock);
    opened++;
    pthread_mutex_unlock(&lock);
    assert(header == 1);
#endif
    return unused;
}

int main(void)
{
    run_two(open_log, append);
}
