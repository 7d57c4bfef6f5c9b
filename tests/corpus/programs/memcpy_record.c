/* SPDX-License-Identifier: Apache-2.0
 * class: memcpy range race
 * bug: a record is copied into place without the lock that its readers take
 * expect: FAILING, half of the old record, half of the new */
#include <string.h>

#include "threads.h"

struct record { char name[16]; long sum[4]; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record current;

static void *update(void *unused)
{
    struct record fresh = { "fresh", { 1, 1, 1, 1 } };
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    memcpy(&current, &fresh, sizeof current);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *look(void *unused)
{
    struct record seen;
    pthread_mutex_lock(&lock);
    memcpy(&seen, &current, sizeof seen);
    pthread_mutex_unlock(&lock);
    assert(seen.sum[0] == seen.sum[3]);
    return unused;
}

int main(void)
{
    run_two(update, look);
}
