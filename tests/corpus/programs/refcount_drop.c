/* SPDX-License-Identifier: Apache-2.0
 * class: refcount drop to zero
 * bug: the count is decremented in one operation and looked at in the next
 * expect: FAILING, two threads see zero, or none */
#include "threads.h"

struct shared { atomic_int references; int closed; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared object = { 2, 0 };

static void *put(void *unused)
{
#ifdef FIXED
    bool last = atomic_fetch_sub(&object.references, 1) == 1;
#else
    atomic_fetch_sub(&object.references, 1);
    bool last = atomic_load(&object.references) == 0;
#endif
    if (last) {
        pthread_mutex_lock(&lock);
        object.closed++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    run_two(put, put);
    assert(object.closed == 1);
}
