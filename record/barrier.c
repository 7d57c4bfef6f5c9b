/* SPDX-License-Identifier: Apache-2.0
 * Barriers. Arrivals are counted here; the real barrier only says how many it
 * waits for. The object's word: generation in the high half, arrivals in the low. */
#include <errno.h>

#include "record/noise.h"
#include "record/runtime.h"

/* glibc's layout: in, current_round, count. */
static uint32_t count_of(const pthread_barrier_t *b)
{
    return ((const uint32_t *)(const void *)b)[2];
}

HD_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    hd_noise();
    typedef int fn(pthread_barrier_t *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_barrier_wait");
    struct hd_thread *self = hd_self;
    if (!self)
        return real(b);
    struct hd_point point = { .kind = HD_BARRIER_ENTER,
                              .object = hd_object((uint64_t)(uintptr_t)b, HD_OBJECT_BARRIER),
                              .pc = HD_CALLER };
    hd_sync_begin(self, &point);
    uint64_t *word = hd_object_data(point.object), generation = *word >> 32;
    hd_sync_made(self, &point, generation);
    point.kind = HD_BARRIER_EXIT;
    bool last = (uint32_t)++*word >= count_of(b);
    if (last) {
        *word = (generation + 1) << 32;
        hd_wake(point.object);
    }
    while (*word >> 32 == generation)
        hd_block(self, &point);
    hd_sync_begin(self, &point);
    hd_sync_made(self, &point, generation);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

HD_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    typedef int fn(pthread_barrier_t *);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_barrier_destroy");
    if (hd_self)
        hd_object_destroy((uint64_t)(uintptr_t)b, HD_CALLER);
    return real(b);
}

HD_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
    typedef int fn(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
    static fn *real;
    if (!real)
        real = (fn *)hd_real("pthread_barrier_init");
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)b);
    return real(b, attr, count);
}
