/* SPDX-License-Identifier: Apache-2.0
 * class: use after its end
 * bug: the thread gets the address of a variable that its parent uses again
 * expect: FAILING, it sees the next number */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seen[2];

static void *note(void *argument)
{
    int number = *(int *)argument;
    pthread_mutex_lock(&lock);
    seen[number]++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    int number[2];
    for (int i = 0; i < 2; i++) {
#ifdef FIXED
        int *mine = &number[i];
#else
        int *mine = &number[0];
#endif
        *mine = i;
        thread[i] = spawn(note, mine);
        sched_yield();
        compute();
    }
    join(thread[0]);
    join(thread[1]);
    assert(seen[0] == 1 && seen[1] == 1);
}
