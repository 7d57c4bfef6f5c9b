/* SPDX-License-Identifier: Apache-2.0 */
#include "unity.h"

#include <stdio.h>
#include <string.h>

struct UNITY_STORAGE_T Unity;

void UnityBegin(const char *file)
{
    memset(&Unity, 0, sizeof Unity);
    Unity.TestFile = file;
}

int UnityEnd(void)
{
    printf("%u tests, %u failures\n", Unity.NumberOfTests, Unity.TestFailures);
    return (int)Unity.TestFailures;
}

void UnityDefaultTestRun(void (*test)(void), const char *name, int line)
{
    Unity.CurrentTestName = name;
    Unity.CurrentTestLineNumber = (UNITY_LINE_TYPE)line;
    Unity.NumberOfTests++;
    if (TEST_PROTECT()) {
        setUp();
        test();
    }
    if (TEST_PROTECT())
        tearDown();
    UnityConcludeTest();
}

void UnityConcludeTest(void)
{
    if (!Unity.CurrentTestFailed)
        printf("%s:%u:%s:PASS\n", Unity.TestFile, Unity.CurrentTestLineNumber, Unity.CurrentTestName);
    Unity.TestFailures += Unity.CurrentTestFailed;
    Unity.CurrentTestFailed = 0;
}

void UnityFail(const char *message, UNITY_LINE_TYPE line)
{
    printf("%s:%u:%s:FAIL: %s\n", Unity.TestFile, line, Unity.CurrentTestName, message);
    Unity.CurrentTestFailed = 1;
    TEST_ABORT();
}

void UnityAssertEqualNumber(UNITY_INT expected, UNITY_INT actual, const char *message, UNITY_LINE_TYPE line,
                            UNITY_DISPLAY_STYLE_T style)
{
    char text[128];
    (void)style;
    if (expected == actual)
        return;
    snprintf(text, sizeof text, "Expected %ld Was %ld%s%s", expected, actual, message ? ". " : "", message ? message : "");
    UnityFail(text, line);
}

void UnityAssertEqualString(const char *expected, const char *actual, const char *message, UNITY_LINE_TYPE line)
{
    char text[256];
    if (strcmp(expected, actual) == 0)
        return;
    snprintf(text, sizeof text, "Expected '%s' Was '%s'%s%s", expected, actual, message ? ". " : "", message ? message : "");
    UnityFail(text, line);
}
