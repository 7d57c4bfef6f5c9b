/* SPDX-License-Identifier: Apache-2.0
 * Tests are marked: include this (or the adapter of your framework) and main is
 * no test any more. Where a framework takes functions void (void), wrap them:
 *
 *     add_test("transfer", HEDDLE_TEST(transfer));
 *
 * Each call of what HEDDLE_TEST gives is one test, named like the function. It
 * ends when the function returns, or is left by longjmp, which is a failure.
 * Inside a test that an adapter began (CUnit) it changes nothing. Without
 * heddle it is the function itself. */
#ifndef HEDDLE_TEST_H
#define HEDDLE_TEST_H

#include <heddle/heddle.h>

#define HEDDLE_TEST(function) (heddle_test_function ? heddle_test_function(#function, function) : (function))

#ifdef __cplusplus
extern "C"
#endif
__attribute__((weak)) void (*heddle_test_function(const char *name, void (*function)(void)))(void);

__attribute__((constructor, unused)) static void heddle_tests_are_marked(void)
{
    if (heddle_framework) /* built with this header, linked without heddle: nothing happens */
        heddle_framework("");
}

#endif
