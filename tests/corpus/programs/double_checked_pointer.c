/* SPDX-License-Identifier: Apache-2.0
 * class: double-checked initialisation
 * bug: the pointer is published before what it points to is complete
 * expect: FAILING, half an object */
#include "threads.h"

struct settings { int port, limit; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings storage;
static _Atomic(struct settings *) instance;

static struct settings *get(void)
{
    if (!atomic_load(&instance)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&instance)) {
#ifdef FIXED
            storage = (struct settings){ 80, 5 };
            atomic_store(&instance, &storage);
#else
            atomic_store(&instance, &storage);
            storage = (struct settings){ 80, 5 };
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    return atomic_load(&instance);
}

static void *use(void *unused)
{
    struct settings *s = get();
    assert(s->port == 80 && s->limit == 5);
    return unused;
}

int main(void)
{
    run_two(use, use);
}
