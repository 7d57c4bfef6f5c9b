/* SPDX-License-Identifier: Apache-2.0
 * HEDDLE=noise: threads run free and nothing is recorded; before a synchronization
 * operation (one time in two) and before one access in a hundred the thread sleeps
 * for a moment of random length, up to 200 microseconds.
 *
 * This is what heddle is measured against (tests/corpus): the same instrumented
 * program, shaken instead of scheduled. */
#ifndef HD_NOISE_H
#define HD_NOISE_H

#include "record/runtime.h"

#define HD_NOISE_SYNC 2
#define HD_NOISE_ACCESS 100

void hd_noise_make(unsigned one_in); /* errno stays */

static inline void hd_noise(void)
{
    if (__builtin_expect(hd_run.noise, 0))
        hd_noise_make(HD_NOISE_SYNC);
}

#endif
