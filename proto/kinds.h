/* SPDX-License-Identifier: Apache-2.0
 * Event kinds: one vocabulary for what is observed, reasoned about, enforced. */
#ifndef HD_KINDS_H
#define HD_KINDS_H

#include <stdbool.h>
#include <stdint.h>

enum hd_kind {
    HD_NONE,
#define HD_KIND(name, class, word) HD_##name,
#include "proto/kinds.def"
#undef HD_KIND
    HD_KIND_COUNT
};

/* In files: append only. */
enum hd_object_kind {
    HD_OBJECT_NONE,
    HD_OBJECT_MUTEX,
    HD_OBJECT_RWLOCK,
    HD_OBJECT_SPIN,
    HD_OBJECT_COND,
    HD_OBJECT_BARRIER,
    HD_OBJECT_SEMAPHORE,
    HD_OBJECT_ONCE,
    HD_OBJECT_FILE,
    HD_OBJECT_USER, /* declared by the user, or an annotation */
    HD_OBJECT_COUNT
};

enum hd_kind_class { HD_CLASS_MARK, HD_CLASS_SYNC, HD_CLASS_ACCESS };
extern const uint8_t hd_kind_class[HD_KIND_COUNT];

const char *hd_kind_word(unsigned kind);

/* A synchronization event that touches memory. */
static inline bool hd_kind_is_atomic(unsigned kind)
{
    return kind == HD_ATOMIC_LOAD || kind == HD_ATOMIC_STORE || kind == HD_ATOMIC_RMW;
}

static inline bool hd_kind_is_sync(unsigned kind)
{
    return kind < HD_KIND_COUNT && hd_kind_class[kind] == HD_CLASS_SYNC;
}

static inline bool hd_kind_is_access(unsigned kind)
{
    return kind < HD_KIND_COUNT && hd_kind_class[kind] == HD_CLASS_ACCESS;
}

/* Always of an object. */
static inline bool hd_kind_has_object(unsigned kind)
{
    return (kind >= HD_LOCK && kind <= HD_TRYLOCK_FAIL) || (kind >= HD_RDLOCK && kind <= HD_ONCE_PASS) ||
           kind == HD_HB_BEFORE || kind == HD_HB_AFTER || kind == HD_DESTROY;
}

/* Is it the begin of a call that touches its object? What ends a call, a wake-up or the way out of a barrier, is not. */
static inline bool hd_kind_uses_object(unsigned kind)
{
    return hd_kind_has_object(kind) && kind != HD_COND_WAKE && kind != HD_BARRIER_EXIT && kind != HD_ONCE_END &&
           kind != HD_HB_BEFORE && kind != HD_HB_AFTER;
}

#endif
