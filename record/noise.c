/* SPDX-License-Identifier: Apache-2.0 */
#include "record/noise.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONGEST 200000 /* nanoseconds */

static __thread uint64_t state;

static uint64_t draw(void)
{
    while (!state) {
        struct timespec now;
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
        state = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)syscall(SYS_gettid) << 20) *
                0x9E3779B97F4A7C15ull;
    }
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Dull >> 33;
}

void hd_noise_make(unsigned one_in)
{
    if (draw() % one_in)
        return;
    int saved = errno;
    struct timespec moment = { 0, (long)(draw() % LONGEST) };
    syscall(SYS_nanosleep, &moment, NULL);
    errno = saved;
}
