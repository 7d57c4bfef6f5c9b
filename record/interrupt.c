/* SPDX-License-Identifier: Apache-2.0 */
#include "record/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
#define SIGNALS (sizeof ending / sizeof *ending)

static struct sigaction before[SIGNALS];
static unsigned depth;
static volatile sig_atomic_t caught, wake = -1;

static void note(int signal)
{
    int saved = errno;
    uint64_t one = 1;
    if (!caught)
        caught = signal;
    if (wake >= 0 && write(wake, &one, sizeof one) < 0)
        errno = saved;
    errno = saved;
}

int hd_interrupt_catch(int wake_fd)
{
    int old = wake;
    wake = wake_fd;
    if (depth++)
        return old;
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action = { .sa_handler = note };
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
    return old;
}

void hd_interrupt_release(int wake_fd_before)
{
    wake = wake_fd_before;
    if (--depth)
        return;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(ending[i], &before[i], NULL);
}

int hd_interrupted(void)
{
    return caught;
}

void hd_interrupt_obey(void)
{
    if (!caught)
        return;
    signal(caught, SIG_DFL);
    raise(caught);
}
