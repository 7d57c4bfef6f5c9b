/* SPDX-License-Identifier: Apache-2.0
 * class: thread-local leaked
 * bug: the address of a thread's own buffer is handed to another thread, and the owner goes on using it
 * expect: FAILING, the message changes while it is read */
#include "threads.h"

static _Thread_local int scratch;
static _Atomic(int *) message;
static atomic_int sent;

static void *sender(void *unused)
{
#ifdef FIXED
    static int fixed_message;
    fixed_message = 5;
    atomic_store(&message, &fixed_message);
#else
    scratch = 5;
    atomic_store(&message, &scratch);
#endif
    atomic_store(&sent, 1);
    compute();
    scratch = 6;
    return unused;
}

static void *receiver(void *unused)
{
    if (atomic_load(&sent))
        assert(*atomic_load(&message) == 5);
    return unused;
}

int main(void)
{
    pthread_t a = spawn(receiver, NULL);
    sender(NULL);
    join(a);
    assert(scratch == 6);
}
