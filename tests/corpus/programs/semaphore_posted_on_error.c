/* SPDX-License-Identifier: Apache-2.0
 * class: semaphore misuse
 * bug: the error path posts although the try did not take
 * expect: FAILING, one more than the slots is inside */
#include <semaphore.h>

#include "threads.h"

static sem_t slots;
static atomic_int inside, most;

static void use_slot(void)
{
    int now = atomic_fetch_add(&inside, 1) + 1;
    if (now > atomic_load(&most))
        atomic_store(&most, now);
    atomic_fetch_sub(&inside, 1);
}

static void *polite(void *unused)
{
    sem_wait(&slots);
    use_slot();
    sem_post(&slots);
    return unused;
}

static void *hasty(void *unused)
{
    bool got = sem_trywait(&slots) == 0;
    if (got)
        use_slot();
#ifdef FIXED
    if (got)
        sem_post(&slots);
#else
    sem_post(&slots);
#endif
    return unused;
}

int main(void)
{
    int left;
    sem_init(&slots, 0, 1);
    run_two(polite, hasty);
    sem_getvalue(&slots, &left);
    assert(left == 1 && atomic_load(&most) == 1);
}
