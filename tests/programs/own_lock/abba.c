/* SPDX-License-Identifier: Apache-2.0
 * Two declared locks in opposite orders, apart in the recorded run; or, SELF, one taken twice. */
#include <pthread.h>

#include "own_lock.h"

static struct own_lock a, b;
long done;

static void *other(void *unused)
{
    own_lock(&b, 0);
    own_lock(&a, 0);
    done++;
    own_unlock(&a);
    own_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    own_lock(&a, 0);
#ifdef SELF
    own_lock(&a, 0);
#endif
    own_lock(&b, 0);
    done++;
    own_unlock(&b);
    own_unlock(&a);
    pthread_join(thread, NULL);
    return done == 2 ? 0 : 1;
}
