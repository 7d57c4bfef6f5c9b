/* SPDX-License-Identifier: Apache-2.0
 * As little of a runner as a test in Unity's style needs, under Unity's names.
 * A failed assertion leaves the test by longjmp. */
#ifndef UNITY_STYLE_H
#define UNITY_STYLE_H

#include <setjmp.h>

typedef long UNITY_INT;
typedef unsigned UNITY_LINE_TYPE;
typedef enum { UNITY_DISPLAY_STYLE_INT } UNITY_DISPLAY_STYLE_T;

extern struct UNITY_STORAGE_T {
    const char *TestFile, *CurrentTestName;
    UNITY_LINE_TYPE CurrentTestLineNumber;
    unsigned NumberOfTests, TestFailures, CurrentTestFailed;
    jmp_buf AbortFrame;
} Unity;

void setUp(void);
void tearDown(void);

void UnityBegin(const char *file);
int UnityEnd(void);
void UnityDefaultTestRun(void (*test)(void), const char *name, int line);
void UnityConcludeTest(void);
void UnityFail(const char *message, UNITY_LINE_TYPE line);
void UnityAssertEqualNumber(UNITY_INT expected, UNITY_INT actual, const char *message, UNITY_LINE_TYPE line,
                            UNITY_DISPLAY_STYLE_T style);
void UnityAssertEqualString(const char *expected, const char *actual, const char *message, UNITY_LINE_TYPE line);

#define UNITY_BEGIN() UnityBegin(__FILE__)
#define UNITY_END() UnityEnd()
#define RUN_TEST(test) UnityDefaultTestRun(test, #test, __LINE__)
#define TEST_PROTECT() (setjmp(Unity.AbortFrame) == 0)
#define TEST_ABORT() longjmp(Unity.AbortFrame, 1)

#define UNITY_TEST_ASSERT(condition, line, message)                                                  \
    do {                                                                                             \
        if (!(condition))                                                                            \
            UnityFail(message, (UNITY_LINE_TYPE)(line));                                             \
    } while (0)
#define TEST_ASSERT(condition) UNITY_TEST_ASSERT(condition, __LINE__, "expression is false")
#define TEST_ASSERT_TRUE(condition) UNITY_TEST_ASSERT(condition, __LINE__, "expected TRUE, was FALSE")
#define TEST_ASSERT_EQUAL_INT(expected, actual)                                                      \
    UnityAssertEqualNumber((UNITY_INT)(expected), (UNITY_INT)(actual), NULL, (UNITY_LINE_TYPE)__LINE__, \
                           UNITY_DISPLAY_STYLE_INT)
#define TEST_ASSERT_EQUAL_STRING(expected, actual) UnityAssertEqualString(expected, actual, NULL, __LINE__)
#define TEST_FAIL_MESSAGE(message) UnityFail(message, __LINE__)

#endif
