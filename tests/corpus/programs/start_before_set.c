/* SPDX-License-Identifier: Apache-2.0
 * class: order violation at start
 * bug: the thread is started before its input is set
 * expect: FAILING, it works on nothing */
#include "threads.h"

static struct { int input, output; } job;

static void *work(void *unused)
{
    compute();
    job.output = 100 / job.input;
    return unused;
}

int main(void)
{
#ifdef FIXED
    job.input = 4;
    pthread_t worker = spawn(work, NULL);
#else
    pthread_t worker = spawn(work, NULL);
    job.input = 4;
#endif
    join(worker);
    assert(job.output == 25);
}
