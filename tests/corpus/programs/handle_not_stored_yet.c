/* SPDX-License-Identifier: Apache-2.0
 * class: order violation at start
 * bug: the child looks at the registry entry that its parent writes after the create
 * expect: FAILING, the child does not find itself */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t registry[1];
static int registered, found;

static void *child(void *unused)
{
    compute();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < registered; i++)
        found += pthread_equal(registry[i], pthread_self()) != 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef FIXED
    pthread_mutex_lock(&lock);
    thread = spawn(child, NULL);
#else
    thread = spawn(child, NULL);
    pthread_mutex_lock(&lock);
#endif
    registry[registered++] = thread;
    pthread_mutex_unlock(&lock);
    join(thread);
    assert(found == 1);
}
