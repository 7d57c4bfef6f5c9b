/* SPDX-License-Identifier: Apache-2.0
 * longjmp out of nested frames: what follows belongs to the function it lands in. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static jmp_buf out;
static sigjmp_buf signalled;
long depth, landed, after;

__attribute__((noinline)) static void descend(int left)
{
    depth = left;
    if (left == 0)
        longjmp(out, 1);
    descend(left - 1);
    depth = -1;
}

__attribute__((noinline)) static void land(void)
{
    if (setjmp(out) == 0)
        descend(5);
    landed++;
}

static void leave(int signal)
{
    (void)signal;
    siglongjmp(signalled, 1);
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        land();
    after = 1;
    signal(SIGUSR1, leave);
    if (sigsetjmp(signalled, 1) == 0) {
        raise(SIGUSR1);
        return 1;
    }
    after = 2;
    return landed == 3 && depth == 0 ? 0 : 2;
}
