/* SPDX-License-Identifier: Apache-2.0
 * class: check-then-act on a table
 * bug: the entry is looked for by readers of a rwlock and made by whoever did not find it
 * expect: FAILING, it is made twice */
#include "threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static bool exists;
static int made;

static void *ensure(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    bool found = exists;
    pthread_rwlock_unlock(&lock);
    if (!found) {
        pthread_rwlock_wrlock(&lock);
#ifdef FIXED
        if (!exists)
#endif
            made++;
        exists = true;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    run_two(ensure, ensure);
    assert(made == 1);
}
