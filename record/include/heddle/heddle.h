/* SPDX-License-Identifier: Apache-2.0
 * heddle's interface for tests. Adapters (heddle/cunit.h) use it; a framework
 * without one marks its tests by hand:
 *
 *     if (heddle_test_begin("suite", "test")) { run(); heddle_test_end(passed); }
 *
 * Primitives of your own: a function in a library is declared in one line, here
 * or in a file (heddle check --declare FILE); code that is inlined is annotated.
 *
 *     heddle_declare("acquire int my_lock(ptr, int) object=1");
 *
 *     HEDDLE_ACQUIRE(&lock);  while (atomic_exchange(&lock, 1)) ;
 *     atomic_store(&lock, 0); HEDDLE_RELEASE(&lock);
 *
 *     HEDDLE_EXPECT_RACE(hits, "an approximate count");
 *
 * Without heddle all of it does nothing.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tests are marked in this program: main is not one. Before main returns. */
void heddle_framework(const char *name) __attribute__((weak));

/* 0: another test was asked for; do not run this one. */
int heddle_test_begin(const char *suite, const char *test);
void heddle_test_end(int passed);

/* KIND TYPE NAME(TYPES) object=N|WORD [success=V] [recursive] [count=N]; heddle(1) has the
 * kinds and types. -1: not understood. */
int heddle_declare(const char *line) __attribute__((weak));
#define HEDDLE_DECLARE(line) (heddle_declare ? heddle_declare(line) : 0)

/* The caller takes, gives back the lock at p. Where another thread has it, ACQUIRE waits. */
void heddle_acquire(const volatile void *p) __attribute__((weak));
void heddle_release(const volatile void *p) __attribute__((weak));
#define HEDDLE_ACQUIRE(p) (heddle_acquire ? heddle_acquire(p) : (void)0)
#define HEDDLE_RELEASE(p) (heddle_release ? heddle_release(p) : (void)0)

/* What came before BEFORE(p) happens before what follows a later AFTER(p). */
void heddle_happens_before(const volatile void *p) __attribute__((weak));
void heddle_happens_after(const volatile void *p) __attribute__((weak));
#define HEDDLE_HAPPENS_BEFORE(p) (heddle_happens_before ? heddle_happens_before(p) : (void)0)
#define HEDDLE_HAPPENS_AFTER(p) (heddle_happens_after ? heddle_happens_after(p) : (void)0)

/* Races on x are meant: they are counted, with the reason, and are no findings. Said once the memory is there;
 * it holds until that is freed. */
void heddle_expect_race(const volatile void *p, size_t size, const char *file, int line, const char *reason)
    __attribute__((weak));
#define HEDDLE_EXPECT_RACE(x, reason)                                                                \
    (heddle_expect_race ? heddle_expect_race(&(x), sizeof(x), __FILE__, __LINE__, reason) : (void)0)

#ifdef __cplusplus
}
#endif
#endif
