/* SPDX-License-Identifier: Apache-2.0
 * The one added line: include this after <check.h>, in every file that has
 * tests or makes suites, and the tests record, each under its name with its
 * checked fixtures; unchecked fixtures belong to none. A test of a loop is
 * NAME:I. Check 0.13 and later.
 *
 * In fork mode the trace follows the test into its process; what Check sees of
 * that (exit, signal) is what it sees without heddle. Under a debugger the
 * tests run without forking. Timeouts are multiplied by 100 (set
 * CK_TIMEOUT_MULTIPLIER to choose).
 *
 * Without fork, an assertion that fails in another thread than the test's ends
 * that thread, and the test fails when its function returns. */
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

#include <heddle/framework.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
void heddle_check_name(const void *thing, const char *name) __attribute__((weak)); /* of a suite, a test case */
void heddle_check_in(const void *suite, const void *tcase) __attribute__((weak));
TFun heddle_check_test(const void *tcase, const char *name, TFun, int signal, int status, int start, int end,
                       void (*fail)(void)) __attribute__((weak));
SFun heddle_check_fixture(const void *tcase, SFun, int tear_down) __attribute__((weak));
int heddle_check_fork(int wanted) __attribute__((weak));
/* Does Check's own macro stand around this expression? */
int heddle_check_own(const char *expression) __attribute__((weak));
void heddle_check_failing(const char *file, unsigned line, const char *expression, const char *message,
                          const void *caller) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#define HEDDLE_CHECK __attribute__((unused, no_sanitize("thread"))) static

/* ------------------------------------------------------------ registration */

HEDDLE_CHECK Suite *heddle__suite_create(const char *name)
{
    Suite *suite = suite_create(name);
    if (heddle_check_name)
        heddle_check_name(suite, name);
    return suite;
}
#define suite_create heddle__suite_create

HEDDLE_CHECK TCase *heddle__tcase_create(const char *name)
{
    TCase *tcase = tcase_create(name);
    if (heddle_check_name)
        heddle_check_name(tcase, name);
    return tcase;
}
#define tcase_create heddle__tcase_create

HEDDLE_CHECK void heddle__suite_add_tcase(Suite *suite, TCase *tcase)
{
    if (heddle_check_in)
        heddle_check_in(suite, tcase);
    suite_add_tcase(suite, tcase);
}
#define suite_add_tcase heddle__suite_add_tcase

HEDDLE_CHECK void heddle__check_unseen(void)
{
    _ck_assert_failed(__BASE_FILE__, 0, "an assertion failed in another thread", NULL);
}

HEDDLE_CHECK void heddle__add_test(TCase *tcase, const TTest *test, int signal, int status, int start, int end)
{
    TFun ours = heddle_check_test
                    ? heddle_check_test(tcase, test->name, test->fn, signal, status, start, end, heddle__check_unseen)
                    : test->fn;
    if (ours == test->fn) {
        _tcase_add_test(tcase, test, signal, status, start, end);
        return;
    }
    TTest *copy = (TTest *)__builtin_malloc(sizeof *copy); /* for as long as the program runs, as the original */
    if (!copy)
        return;
    *copy = *test;
    copy->fn = ours;
    _tcase_add_test(tcase, copy, signal, status, start, end);
}
#define _tcase_add_test heddle__add_test

HEDDLE_CHECK void heddle__add_checked_fixture(TCase *tcase, SFun set_up, SFun tear_down)
{
    if (heddle_check_fixture && set_up)
        set_up = heddle_check_fixture(tcase, set_up, 0);
    if (heddle_check_fixture && tear_down)
        tear_down = heddle_check_fixture(tcase, tear_down, 1);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
}
#define tcase_add_checked_fixture heddle__add_checked_fixture

#define srunner_set_fork_status(runner, wanted)                                                      \
    (srunner_set_fork_status)(runner, heddle_check_fork ? (enum fork_status)heddle_check_fork(wanted) : (wanted))

/* -------------------------------------------------------------- assertions */

__attribute__((unused, noinline, format(printf, 4, 5), no_sanitize("thread"))) static void
heddle__check_failed(const char *file, int line, const char *expression, const char *message, ...)
{
    char text[1024] = "";
    va_list ap;
    heddle__quiet();
    if (message) {
        va_start(ap, message);
        vsnprintf(text, sizeof text, message, ap);
        va_end(ap);
    }
    heddle__loud();
    if (heddle_check_failing)
        heddle_check_failing(file, (unsigned)line, expression, message ? text : NULL, __builtin_return_address(0));
    _ck_assert_failed(file, line, expression, message ? "%s" : NULL, text);
}
#define _ck_assert_failed heddle__check_failed

/* Of Check's own macros the source text comes second in what they print. */
#define HEDDLE_CHECK_SECOND(first, second, ...) second
#define HEDDLE_CHECK_TEXT(text, ...)                                                                 \
    (heddle_check_own && heddle_check_own(text)                                                      \
         ? (const char *)(uintptr_t)(HEDDLE_CHECK_SECOND(__VA_ARGS__, text, text))                   \
         : text)

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                     \
    ((expr) ? (heddle__assertion(__FILE__, __LINE__, HEDDLE_CHECK_TEXT(#expr, __VA_ARGS__)),         \
               _mark_point(__FILE__, __LINE__), heddle__held())                                      \
            : heddle__check_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", __VA_ARGS__))

#endif
