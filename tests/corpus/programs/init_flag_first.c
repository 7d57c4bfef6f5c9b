/* SPDX-License-Identifier: Apache-2.0
 * class: double-checked initialisation
 * bug: the flag of a hand-made once is set by who begins, not by who has finished
 * expect: FAILING, the second caller goes on too soon */
#include "threads.h"

static atomic_flag begun = ATOMIC_FLAG_INIT;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[4];

static void fill(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = i + 1;
}

static void *use(void *unused)
{
#ifdef FIXED
    pthread_once(&once, fill);
    (void)begun;
#else
    if (!atomic_flag_test_and_set(&begun))
        fill();
    (void)once;
#endif
    assert(table[3] == 4);
    return unused;
}

int main(void)
{
    run_two(use, use);
}
