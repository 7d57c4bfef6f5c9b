/* SPDX-License-Identifier: Apache-2.0
 * The one added line: include this after "unity.h" where RUN_TEST is used, and
 * where assertions are. Each RUN_TEST then records, with setUp and tearDown, in
 * the suite named like the source file. Runners with the same interface as
 * Unity's (UnityBegin, UnityConcludeTest, TEST_PROTECT, the UnityAssert
 * functions) work likewise.
 *
 * Unity is compiled into the test, with the same compiler: its own state is
 * kept out of the trace. An assertion that fails in another thread ends that
 * thread; Unity alone would jump into the stack of another one.
 *
 * Not covered: runners that Unity's script generates, which run tests without
 * RUN_TEST. */
#ifndef HEDDLE_UNITY_H
#define HEDDLE_UNITY_H

#include <heddle/framework.h>

#ifdef __cplusplus
extern "C" {
#endif
int heddle_unity_begin(const char *file, const char *test) __attribute__((weak));
/* An assertion NAME(FIRST, SECOND), whose operands come as Unity's macros wrote them; caller NULL: here. */
void heddle_unity_assertion(const char *file, unsigned line, const char *name, const char *first,
                            const char *second, const void *caller) __attribute__((weak));
void setUp(void);
void tearDown(void);
#ifdef __cplusplus
}
#endif

#ifndef UNITY_CLR_DETAILS
#define UNITY_CLR_DETAILS()
#endif
#ifndef UNITY_EXEC_TIME_START
#define UNITY_EXEC_TIME_START() (void)0
#define UNITY_EXEC_TIME_STOP() (void)0
#endif

__attribute__((unused, no_sanitize("thread"))) static void heddle_unity_run(void (*test)(void), const char *name, int line)
{
    if (heddle_unity_begin && !heddle_unity_begin(__BASE_FILE__, name))
        return;
    heddle__quiet();
    Unity.CurrentTestName = name;
    Unity.CurrentTestLineNumber = (UNITY_LINE_TYPE)line;
    Unity.NumberOfTests++;
    UNITY_CLR_DETAILS();
    UNITY_EXEC_TIME_START();
    if (TEST_PROTECT()) {
        heddle__loud();
        setUp();
        test();
    }
    heddle__quiet();
    if (TEST_PROTECT()) {
        heddle__loud();
        tearDown();
    }
    heddle__quiet();
    UNITY_EXEC_TIME_STOP();
    int failed = Unity.CurrentTestFailed != 0;
    UnityConcludeTest();
    heddle__loud();
    if (heddle_unity_begin)
        heddle_test_end(!failed);
}
#define UnityDefaultTestRun heddle_unity_run

#define heddle__unity(file, line, name, first, second, caller)                                       \
    (heddle_unity_assertion ? heddle_unity_assertion(file, line, name, first, second, caller) : (void)0)

#undef UNITY_TEST_ASSERT
#define UNITY_TEST_ASSERT(condition, line, message)                                                  \
    do {                                                                                             \
        int heddle_held = (condition) ? 1 : 0;                                                       \
        heddle__unity(__FILE__, line, "TEST_ASSERT", #condition, NULL, NULL);                        \
        if (!heddle_held)                                                                            \
            (UnityFail)((message), (UNITY_LINE_TYPE)(line));                                         \
        heddle__held();                                                                              \
    } while (0)

#define heddle__unity_reads(a, b, size, string)                                                      \
    (heddle_compared ? heddle_compared(a, b, size, string, __builtin_return_address(0)) : (void)0)

/* What is behind the macros: the operands are read when the function is entered, then Unity compares. */
#define HEDDLE_UNITY(function, name, parameters, line, looks, arguments)                             \
    __attribute__((unused, noinline, no_sanitize("thread"))) static void heddle_##function parameters                                                   \
    {                                                                                                \
        looks;                                                                                       \
        heddle__unity(heddle_file, line, name, heddle_first, heddle_second, __builtin_return_address(0)); \
        (function)arguments;                                                                         \
        heddle__held();                                                                              \
    }
#define HEDDLE_UNITY_TEXT const char *heddle_file, const char *heddle_first, const char *heddle_second

HEDDLE_UNITY(UnityAssertEqualNumber, "TEST_ASSERT_EQUAL",
             (HEDDLE_UNITY_TEXT, UNITY_INT a, UNITY_INT b, const char *m, UNITY_LINE_TYPE l, UNITY_DISPLAY_STYLE_T s), l,
             (void)0, (a, b, m, l, s))
#define UnityAssertEqualNumber(a, b, m, l, s) heddle_UnityAssertEqualNumber(__FILE__, #a, #b, a, b, m, l, s)

HEDDLE_UNITY(UnityAssertEqualString, "TEST_ASSERT_EQUAL_STRING",
             (HEDDLE_UNITY_TEXT, const char *a, const char *b, const char *m, UNITY_LINE_TYPE l), l,
             heddle__unity_reads(a, b, (size_t)-1, 1), (a, b, m, l))
#define UnityAssertEqualString(a, b, m, l) heddle_UnityAssertEqualString(__FILE__, #a, #b, a, b, m, l)

HEDDLE_UNITY(UnityFail, "TEST_FAIL", (HEDDLE_UNITY_TEXT, const char *m, UNITY_LINE_TYPE l), l, (void)0, (m, l))
#define UnityFail(m, l) heddle_UnityFail(__FILE__, m, NULL, m, l)

#ifdef UNITY_FRAMEWORK_H /* Unity itself has more */
#define UnityIgnore(m, l) (heddle__quiet(), (UnityIgnore)(m, l), heddle__loud())

HEDDLE_UNITY(UnityAssertGreaterOrLessOrEqualNumber, "TEST_ASSERT_COMPARE",
             (HEDDLE_UNITY_TEXT, UNITY_INT a, UNITY_INT b, UNITY_COMPARISON_T c, const char *m, UNITY_LINE_TYPE l,
              UNITY_DISPLAY_STYLE_T s), l, (void)0, (a, b, c, m, l, s))
#define UnityAssertGreaterOrLessOrEqualNumber(a, b, c, m, l, s)                                      \
    heddle_UnityAssertGreaterOrLessOrEqualNumber(__FILE__, #a, #b, a, b, c, m, l, s)

HEDDLE_UNITY(UnityAssertBits, "TEST_ASSERT_BITS",
             (HEDDLE_UNITY_TEXT, UNITY_INT k, UNITY_INT a, UNITY_INT b, const char *m, UNITY_LINE_TYPE l), l, (void)0,
             (k, a, b, m, l))
#define UnityAssertBits(k, a, b, m, l) heddle_UnityAssertBits(__FILE__, #a, #b, k, a, b, m, l)

HEDDLE_UNITY(UnityAssertNumbersWithin, "TEST_ASSERT_WITHIN",
             (HEDDLE_UNITY_TEXT, UNITY_UINT d, UNITY_INT a, UNITY_INT b, const char *m, UNITY_LINE_TYPE l,
              UNITY_DISPLAY_STYLE_T s), l, (void)0, (d, a, b, m, l, s))
#define UnityAssertNumbersWithin(d, a, b, m, l, s) heddle_UnityAssertNumbersWithin(__FILE__, #a, #b, d, a, b, m, l, s)

HEDDLE_UNITY(UnityAssertEqualStringLen, "TEST_ASSERT_EQUAL_STRING_LEN",
             (HEDDLE_UNITY_TEXT, const char *a, const char *b, UNITY_UINT32 n, const char *m, UNITY_LINE_TYPE l), l,
             heddle__unity_reads(a, b, n, 1), (a, b, n, m, l))
#define UnityAssertEqualStringLen(a, b, n, m, l) heddle_UnityAssertEqualStringLen(__FILE__, #a, #b, a, b, n, m, l)

/* Arrays: what the test made is read here; what it is compared with seldom is anybody else's. */
HEDDLE_UNITY(UnityAssertEqualIntArray, "TEST_ASSERT_EQUAL_ARRAY",
             (HEDDLE_UNITY_TEXT, UNITY_INTERNAL_PTR a, UNITY_INTERNAL_PTR b, UNITY_UINT32 n, const char *m,
              UNITY_LINE_TYPE l, UNITY_DISPLAY_STYLE_T s, UNITY_FLAGS_T f), l,
             heddle__unity_reads(b, b, (size_t)n * ((unsigned)s & 0xF), 0), (a, b, n, m, l, s, f))
#define UnityAssertEqualIntArray(a, b, n, m, l, s, f)                                                \
    heddle_UnityAssertEqualIntArray(__FILE__, #a, #b, a, b, n, m, l, s, f)

HEDDLE_UNITY(UnityAssertEqualMemory, "TEST_ASSERT_EQUAL_MEMORY",
             (HEDDLE_UNITY_TEXT, UNITY_INTERNAL_PTR a, UNITY_INTERNAL_PTR b, UNITY_UINT32 z, UNITY_UINT32 n,
              const char *m, UNITY_LINE_TYPE l, UNITY_FLAGS_T f), l, heddle__unity_reads(b, b, (size_t)z * n, 0),
             (a, b, z, n, m, l, f))
#define UnityAssertEqualMemory(a, b, z, n, m, l, f)                                                  \
    heddle_UnityAssertEqualMemory(__FILE__, #a, #b, a, b, z, n, m, l, f)

#ifndef UNITY_EXCLUDE_FLOAT
HEDDLE_UNITY(UnityAssertFloatsWithin, "TEST_ASSERT_FLOAT_WITHIN",
             (HEDDLE_UNITY_TEXT, UNITY_FLOAT d, UNITY_FLOAT a, UNITY_FLOAT b, const char *m, UNITY_LINE_TYPE l), l,
             (void)0, (d, a, b, m, l))
#define UnityAssertFloatsWithin(d, a, b, m, l) heddle_UnityAssertFloatsWithin(__FILE__, #a, #b, d, a, b, m, l)
#endif
#ifndef UNITY_EXCLUDE_DOUBLE
HEDDLE_UNITY(UnityAssertDoublesWithin, "TEST_ASSERT_DOUBLE_WITHIN",
             (HEDDLE_UNITY_TEXT, UNITY_DOUBLE d, UNITY_DOUBLE a, UNITY_DOUBLE b, const char *m, UNITY_LINE_TYPE l), l,
             (void)0, (d, a, b, m, l))
#define UnityAssertDoublesWithin(d, a, b, m, l) heddle_UnityAssertDoublesWithin(__FILE__, #a, #b, d, a, b, m, l)
#endif
#endif

#endif
