/* SPDX-License-Identifier: Apache-2.0
 * Every kind of declaration, in signatures of all sorts; results arrive unchanged. */
#include <pthread.h>

#include "own_lock.h"

static struct own_lock first, second, nested;
static struct own_gate gate;
long steps, handed;

static void *worker(void *unused)
{
    giant_lock();
    steps++;
    giant_unlock();
    if (own_trylock(&first) == 16)
        steps++;
    handed = 42;
    gate_put(&gate);
    own_lock(&first, 1);
    own_unlock(&first);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (own_lock(&first, 9) != 9)
        return 1;
    pthread_create(&thread, NULL, worker, NULL);
    int seen = gate_take(&gate);
    if (seen != 1 || handed != 42)
        return 2;
    own_unlock(&first);
    pthread_join(thread, NULL);
    if (own_weighed_lock(2.5, &second, 3, 0.25f) != 5.75f || own_trylock(&second) != 16)
        return 3;
    own_unlock(&second);
    if (own_trylock(&second) != 0)
        return 4;
    own_unlock(&second);
    if (own_wide_lock(1, 2, 3, 4, 5, 6, &nested, 200.0) != 221)
        return 5;
    own_unlock(&nested);
    return steps == 2 ? 0 : 6;
}
