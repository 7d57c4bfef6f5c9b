/* SPDX-License-Identifier: Apache-2.0
 * class: signal instead of broadcast
 * bug: two threads wait for the same gate, one is woken
 * expect: FAILING, the other one sleeps for ever */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;

static void *pass(void *unused)
{
    compute();
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *open_gate(void *unused)
{
    pthread_mutex_lock(&lock);
    is_open = true;
#ifdef FIXED
    pthread_cond_broadcast(&opened);
#else
    pthread_cond_signal(&opened);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t gate = spawn(open_gate, NULL), a = spawn(pass, NULL), b = spawn(pass, NULL);
    join(gate);
    join(a);
    join(b);
}
