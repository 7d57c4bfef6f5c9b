/* SPDX-License-Identifier: Apache-2.0
 * pthread_once: the real control word says whether it is done or under way; who
 * comes while it is under way is parked. */
#include "record/noise.h"
#include "record/runtime.h"

enum { IN_PROGRESS = 1, DONE = 2 }; /* glibc's bits */

typedef int once_fn(pthread_once_t *, void (*)(void));

static once_fn *resolve(void)
{
    static once_fn *real;
    if (!real)
        real = (once_fn *)hd_real("pthread_once");
    return real;
}

/* Also where the function left by cancellation, an exception or pthread_exit: then it has still to be done. */
static void over(struct hd_point *point)
{
    struct hd_thread *self = hd_self;
    if (!self)
        return;
    point->kind = HD_ONCE_END;
    hd_sync_begin(self, point);
    hd_sync_made(self, point, 0);
    hd_wake(point->object);
}

int hd_once(pthread_once_t *control, void (*function)(void), uint64_t pc)
{
    struct hd_thread *self = hd_self;
    struct hd_point point = { .kind = HD_ONCE_PASS,
                              .object = hd_object((uint64_t)(uintptr_t)control, HD_OBJECT_ONCE),
                              .pc = pc };
    const volatile int *word = (const volatile int *)control;
    point.kind = *word & DONE ? HD_ONCE_PASS : HD_ONCE_BEGIN;
    hd_sync_begin(self, &point);
    while (*word & IN_PROGRESS)
        hd_block(self, &point);
    if (*word & DONE) {
        point.kind = HD_ONCE_PASS;
        hd_sync_made(self, &point, 0);
        return 0;
    }
    point.kind = HD_ONCE_BEGIN;
    hd_sync_made(self, &point, 0);
    __attribute__((cleanup(over), unused)) struct hd_point end = point;
    return resolve()(control, function);
}

HD_EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
    hd_noise();
    return hd_self ? hd_once(control, function, HD_CALLER) : resolve()(control, function);
}
