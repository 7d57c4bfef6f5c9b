/* SPDX-License-Identifier: Apache-2.0
 * For the adapters of test frameworks (heddle/check.h, cmocka.h, unity.h,
 * criterion.h); a test includes one of those, not this.
 *
 * An assertion is what happens between heddle__assertion() and heddle__held().
 * The framework's own work in between is not recorded; what it is given to look
 * at must be read before. Without heddle all of it does nothing. */
#ifndef HEDDLE_FRAMEWORK_H
#define HEDDLE_FRAMEWORK_H

#include <heddle/test.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void heddle_quiet(void) __attribute__((weak));
void heddle_loud(void) __attribute__((weak));
void heddle_loud_from(void *frame) __attribute__((weak));
void heddle_assertion(const char *file, unsigned line, const char *text) __attribute__((weak));
void heddle_assertion_held(void) __attribute__((weak));
void heddle_compared(const void *a, const void *b, size_t size, int string, const void *caller) __attribute__((weak));
#ifdef __cplusplus
}
#endif

/* Macros, so that what they do is at the line of the test. */
#define heddle__quiet() (heddle_quiet ? heddle_quiet() : (void)0)
#define heddle__loud() (heddle_loud ? heddle_loud() : (void)0)
#define heddle__assertion(file, line, text) (heddle_assertion ? heddle_assertion(file, line, text) : (void)0)
#define heddle__held() (heddle_assertion_held ? heddle_assertion_held() : (void)0)
#define heddle__strings(a, b) (heddle_compared ? heddle_compared(a, b, (size_t)-1, 1, NULL) : (void)0)
#define heddle__bytes(a, b, size) (heddle_compared ? heddle_compared(a, b, size, 0, NULL) : (void)0)

#endif
