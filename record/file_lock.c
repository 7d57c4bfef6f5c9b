/* SPDX-License-Identifier: Apache-2.0
 * flockfile and its kin: a lock that belongs to a stream. */
#include <stdio.h>

#include "record/runtime.h"

typedef void file_fn(FILE *);
typedef int try_fn(FILE *);

static file_fn *real_lock, *real_unlock;
static try_fn *real_try;

static void resolve(void)
{
    if (real_lock)
        return;
    real_unlock = (file_fn *)hd_real("funlockfile");
    real_try = (try_fn *)hd_real("ftrylockfile");
    real_lock = (file_fn *)hd_real("flockfile");
}

static struct hd_point point_of(FILE *f, unsigned kind, uint64_t pc)
{
    return (struct hd_point){ .kind = kind, .object = hd_object((uint64_t)(uintptr_t)f, HD_OBJECT_FILE), .pc = pc };
}

HD_EXPORT void flockfile(FILE *f)
{
    resolve();
    struct hd_thread *self = hd_self;
    if (!self || self->inside) {
        real_lock(f);
        return;
    }
    struct hd_point point = point_of(f, HD_LOCK, HD_CALLER);
    hd_sync_begin(self, &point);
    while (real_try(f) != 0)
        hd_block(self, &point);
    hd_object_set_owner(point.object, self);
    ++*hd_object_data(point.object);
    hd_sync_made(self, &point, 0);
}

HD_EXPORT int ftrylockfile(FILE *f)
{
    resolve();
    struct hd_thread *self = hd_self;
    if (!self || self->inside)
        return real_try(f);
    struct hd_point point = point_of(f, HD_LOCK, HD_CALLER);
    hd_sync_begin(self, &point);
    int busy = real_try(f);
    if (busy)
        point.kind = HD_TRYLOCK_FAIL;
    else {
        hd_object_set_owner(point.object, self);
        ++*hd_object_data(point.object);
    }
    hd_sync_made(self, &point, 0);
    return busy;
}

HD_EXPORT void funlockfile(FILE *f)
{
    resolve();
    struct hd_thread *self = hd_self;
    if (!self || self->inside) {
        real_unlock(f);
        return;
    }
    struct hd_point point = point_of(f, HD_UNLOCK, HD_CALLER);
    hd_sync_begin(self, &point);
    real_unlock(f);
    uint64_t *depth = hd_object_data(point.object);
    if (*depth && --*depth == 0)
        hd_object_set_owner(point.object, NULL);
    hd_sync_made(self, &point, 0);
    hd_wake(point.object);
}
