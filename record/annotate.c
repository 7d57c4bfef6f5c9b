/* SPDX-License-Identifier: Apache-2.0
 * Annotations in the user's code: heddle's own, ThreadSanitizer's interface, and
 * the older dynamic annotations.
 *
 * Between __tsan_mutex_pre_* and its post_* the thread is in the primitive's own
 * code: that is not recorded, and the model has made sure that it will not block. */
#include "record/expected.h"
#include "record/user_lock.h"

/* As in sanitizer/tsan_interface.h. */
enum { READ_LOCK = 1 << 3, TRY_LOCK = 1 << 4, TRY_LOCK_FAILED = 1 << 5 };

static __thread struct hd_thread *hidden; /* in a primitive's own code */
static __thread struct hd_user entered;

static struct hd_user user(const volatile void *p, uint32_t kind, uint64_t pc)
{
    struct hd_user u = { .recursive = true };
    u.point.object = hd_object((uint64_t)(uintptr_t)p, HD_OBJECT_USER);
    u.point.kind = kind;
    u.point.pc = pc;
    return u;
}

static void at_once(const volatile void *p, uint32_t kind, uint64_t pc)
{
    struct hd_thread *t = hd_self;
    if (!t)
        return;
    hd_access_flush(t);
    struct hd_user u = user(p, kind, pc);
    if (kind == HD_UNLOCK)
        u.point.kind = hd_user_release_kind(t, u.point.object);
    hd_user_enter(t, &u);
    hd_user_done(t, &u);
}

static void forget(const volatile void *p)
{
    if (hd_self)
        hd_object_forget((uint64_t)(uintptr_t)p);
}

#define PUBLIC(result, name, ...)                                                                    \
    HD_EXPORT result name(__VA_ARGS__);                                                              \
    HD_EXPORT result name(__VA_ARGS__)

PUBLIC(void, heddle_acquire, const volatile void *p) { at_once(p, HD_LOCK, HD_CALLER); }
PUBLIC(void, heddle_release, const volatile void *p) { at_once(p, HD_UNLOCK, HD_CALLER); }
PUBLIC(void, heddle_happens_before, const volatile void *p) { at_once(p, HD_HB_BEFORE, HD_CALLER); }
PUBLIC(void, heddle_happens_after, const volatile void *p) { at_once(p, HD_HB_AFTER, HD_CALLER); }

/* --------------------------------------------- ThreadSanitizer's interface */

PUBLIC(void, __tsan_acquire, void *p) { at_once(p, HD_HB_AFTER, HD_CALLER); }
PUBLIC(void, __tsan_release, void *p) { at_once(p, HD_HB_BEFORE, HD_CALLER); }

PUBLIC(void, __tsan_mutex_create, void *p, unsigned flags)
{
    (void)flags;
    forget(p);
}

PUBLIC(void, __tsan_mutex_destroy, void *p, unsigned flags)
{
    (void)flags;
    forget(p);
}

static void hide(struct hd_thread *t)
{
    hidden = t;
    hd_self = NULL;
}

static struct hd_thread *unhide(void)
{
    struct hd_thread *t = hidden;
    hidden = NULL;
    if (t && !t->released)
        hd_self = t;
    return t;
}

static void begin(void *p, uint32_t kind, bool tries, uint64_t pc)
{
    struct hd_thread *t = hd_self;
    if (!t)
        return;
    hd_access_flush(t);
    entered = user(p, kind, pc);
    entered.tries = tries;
    if (kind == HD_UNLOCK)
        entered.point.kind = hd_user_release_kind(t, entered.point.object);
    hd_user_enter(t, &entered);
    hide(t);
}

PUBLIC(void, __tsan_mutex_pre_lock, void *p, unsigned flags)
{
    begin(p, flags & READ_LOCK ? HD_RDLOCK : HD_LOCK, flags & TRY_LOCK, HD_CALLER);
}

PUBLIC(void, __tsan_mutex_post_lock, void *p, unsigned flags, int recursion)
{
    (void)p;
    (void)recursion;
    struct hd_thread *t = unhide();
    if (!t)
        return;
    if (flags & TRY_LOCK_FAILED)
        entered.point.kind = flags & READ_LOCK ? HD_TRYRDLOCK_FAIL : HD_TRYLOCK_FAIL;
    hd_user_done(t, &entered);
}

PUBLIC(int, __tsan_mutex_pre_unlock, void *p, unsigned flags)
{
    (void)flags;
    begin(p, HD_UNLOCK, false, HD_CALLER);
    return 1;
}

PUBLIC(void, __tsan_mutex_post_unlock, void *p, unsigned flags)
{
    (void)p;
    (void)flags;
    struct hd_thread *t = unhide();
    if (t)
        hd_user_done(t, &entered);
}

#define NOTHING(name)                                                                                \
    PUBLIC(void, name, void *p, unsigned flags)                                                      \
    {                                                                                                \
        (void)p;                                                                                     \
        (void)flags;                                                                                 \
    }
NOTHING(__tsan_mutex_pre_signal)
NOTHING(__tsan_mutex_post_signal)

/* The primitive calls the user back. */
static __thread struct hd_thread *diverted;

PUBLIC(void, __tsan_mutex_pre_divert, void *p, unsigned flags)
{
    (void)p;
    (void)flags;
    diverted = unhide();
}

PUBLIC(void, __tsan_mutex_post_divert, void *p, unsigned flags)
{
    (void)p;
    (void)flags;
    if (diverted)
        hide(diverted);
    diverted = NULL;
}

/* ------------------------------------------------------ dynamic annotations */

#define ANNOTATION(name, ...) PUBLIC(void, name, const char *file, int line, ##__VA_ARGS__)
#define UNUSED_PLACE ((void)file, (void)line)

ANNOTATION(AnnotateHappensBefore, const volatile void *p) { UNUSED_PLACE; at_once(p, HD_HB_BEFORE, HD_CALLER); }
ANNOTATION(AnnotateHappensAfter, const volatile void *p) { UNUSED_PLACE; at_once(p, HD_HB_AFTER, HD_CALLER); }
ANNOTATION(AnnotateRWLockCreate, const volatile void *p) { UNUSED_PLACE; forget(p); }
ANNOTATION(AnnotateRWLockCreateStatic, const volatile void *p) { UNUSED_PLACE; forget(p); }
ANNOTATION(AnnotateRWLockDestroy, const volatile void *p) { UNUSED_PLACE; forget(p); }

ANNOTATION(AnnotateRWLockAcquired, const volatile void *p, long is_write)
{
    UNUSED_PLACE;
    at_once(p, is_write ? HD_LOCK : HD_RDLOCK, HD_CALLER);
}

ANNOTATION(AnnotateRWLockReleased, const volatile void *p, long is_write)
{
    UNUSED_PLACE;
    (void)is_write;
    at_once(p, HD_UNLOCK, HD_CALLER);
}

ANNOTATION(AnnotateBenignRace, const volatile void *p, const char *text)
{
    heddle_expect_race(p, 1, file, line, text);
}

ANNOTATION(AnnotateBenignRaceSized, const volatile void *p, size_t size, const char *text)
{
    heddle_expect_race(p, size, file, line, text);
}

/* Accesses between begin and end are recorded all the same: leaving them out would hide writes. */
#define IGNORE(name)                                                                                 \
    ANNOTATION(name) { UNUSED_PLACE; }
IGNORE(AnnotateIgnoreReadsBegin)
IGNORE(AnnotateIgnoreReadsEnd)
IGNORE(AnnotateIgnoreWritesBegin)
IGNORE(AnnotateIgnoreWritesEnd)
IGNORE(AnnotateIgnoreSyncBegin)
IGNORE(AnnotateIgnoreSyncEnd)
