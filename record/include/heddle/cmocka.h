/* SPDX-License-Identifier: Apache-2.0
 * The one added line: include this after <cmocka.h> and the tests of
 * cmocka_run_group_tests() record, each under its name, with its set-up and
 * tear-down. The set-up and tear-down of the group belong to none.
 *
 * Every assertion is in the trace with its source text; where it fails, also
 * with what cmocka says. One that fails in another thread ends that thread, and
 * the test fails when its function returns: cmocka alone would end the program.
 *
 * Not covered: the runners that cmocka calls deprecated (run_tests, run_test). */
#ifndef HEDDLE_CMOCKA_H
#define HEDDLE_CMOCKA_H

#include <heddle/framework.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Puts functions of heddle's into the tests. */
void heddle_cmocka_tests(const char *group, struct CMUnitTest *, size_t count,
                         void (*fail)(const char *file, int line)) __attribute__((weak));
void heddle_cmocka_over(void) __attribute__((weak));
void heddle_cmocka_skip(void) __attribute__((weak));
#ifdef __cplusplus
}
#endif

__attribute__((unused)) static int heddle_cmocka_group(const char *group, const struct CMUnitTest *tests, size_t count,
                                                       CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    if (!heddle_cmocka_tests || !heddle_cmocka_over)
        return _cmocka_run_group_tests(group, tests, count, set_up, tear_down);
    struct CMUnitTest ours[count ? count : 1];
    memcpy(ours, tests, count * sizeof *ours);
    heddle_cmocka_tests(group, ours, count, (void (*)(const char *, int))_fail);
    int failed = _cmocka_run_group_tests(group, ours, count, set_up, tear_down);
    heddle_cmocka_over();
    return failed;
}
#define _cmocka_run_group_tests heddle_cmocka_group

/* Mocks: what cmocka remembers is its own. */
#define HEDDLE_CMOCKA_OWN(function, parameters, arguments)                                           \
    __attribute__((unused, no_sanitize("thread"))) static void heddle_##function parameters          \
    {                                                                                                \
        heddle__quiet();                                                                             \
        function arguments;                                                                          \
        heddle__loud();                                                                              \
    }
#define HEDDLE_CMOCKA_AT const char *f, const char *p, const char *file, int line

HEDDLE_CMOCKA_OWN(_will_return, (const char *f, const char *file, int line, LargestIntegralType v, int n), (f, file, line, v, n))
#define _will_return heddle__will_return
HEDDLE_CMOCKA_OWN(_check_expected, (HEDDLE_CMOCKA_AT, LargestIntegralType v), (f, p, file, line, v))
#define _check_expected heddle__check_expected
HEDDLE_CMOCKA_OWN(_expect_any, (HEDDLE_CMOCKA_AT, int n), (f, p, file, line, n))
#define _expect_any heddle__expect_any
HEDDLE_CMOCKA_OWN(_expect_value, (HEDDLE_CMOCKA_AT, LargestIntegralType v, int n), (f, p, file, line, v, n))
#define _expect_value heddle__expect_value
HEDDLE_CMOCKA_OWN(_expect_not_value, (HEDDLE_CMOCKA_AT, LargestIntegralType v, int n), (f, p, file, line, v, n))
#define _expect_not_value heddle__expect_not_value
HEDDLE_CMOCKA_OWN(_expect_string, (HEDDLE_CMOCKA_AT, const char *s, int n), (f, p, file, line, s, n))
#define _expect_string heddle__expect_string
HEDDLE_CMOCKA_OWN(_expect_not_string, (HEDDLE_CMOCKA_AT, const char *s, int n), (f, p, file, line, s, n))
#define _expect_not_string heddle__expect_not_string
HEDDLE_CMOCKA_OWN(_expect_memory, (HEDDLE_CMOCKA_AT, const void *m, size_t size, int n), (f, p, file, line, m, size, n))
#define _expect_memory heddle__expect_memory
HEDDLE_CMOCKA_OWN(_expect_not_memory, (HEDDLE_CMOCKA_AT, const void *m, size_t size, int n),
                  (f, p, file, line, m, size, n))
#define _expect_not_memory heddle__expect_not_memory
HEDDLE_CMOCKA_OWN(_expect_in_range, (HEDDLE_CMOCKA_AT, LargestIntegralType low, LargestIntegralType high, int n),
                  (f, p, file, line, low, high, n))
#define _expect_in_range heddle__expect_in_range
HEDDLE_CMOCKA_OWN(_expect_not_in_range, (HEDDLE_CMOCKA_AT, LargestIntegralType low, LargestIntegralType high, int n),
                  (f, p, file, line, low, high, n))
#define _expect_not_in_range heddle__expect_not_in_range
HEDDLE_CMOCKA_OWN(_function_called, (const char *f, const char *file, int line), (f, file, line))
#define _function_called heddle__function_called
HEDDLE_CMOCKA_OWN(_expect_function_call, (const char *f, const char *file, int line, int n), (f, file, line, n))
#define _expect_function_call heddle__expect_function_call

__attribute__((unused, no_sanitize("thread"))) static LargestIntegralType heddle__mock(const char *f, const char *file,
                                                                                      int line)
{
    heddle__quiet();
    LargestIntegralType value = _mock(f, file, line);
    heddle__loud();
    return value;
}
#define _mock heddle__mock

/* The operands are the user's to read, the comparison is cmocka's to make. */
#define HEDDLE_CMOCKA(text, call)                                                                    \
    do {                                                                                             \
        heddle__assertion(__FILE__, __LINE__, text);                                                 \
        call;                                                                                        \
        heddle__held();                                                                              \
    } while (0)
#define HEDDLE_CMOCKA_1(name, text, a)                                                               \
    do {                                                                                             \
        LargestIntegralType heddle_a = (a);                                                          \
        HEDDLE_CMOCKA(text, _assert_true(heddle_a, text, __FILE__, __LINE__));                       \
    } while (0)
#define HEDDLE_CMOCKA_2(type, function, text, a, b)                                                  \
    do {                                                                                             \
        type heddle_a = (a), heddle_b = (b);                                                         \
        HEDDLE_CMOCKA(text, function(heddle_a, heddle_b, __FILE__, __LINE__));                       \
    } while (0)
#define HEDDLE_CMOCKA_3(type, function, text, a, b, c)                                               \
    do {                                                                                             \
        type heddle_a = (a), heddle_b = (b), heddle_c = (c);                                         \
        HEDDLE_CMOCKA(text, function(heddle_a, heddle_b, heddle_c, __FILE__, __LINE__));             \
    } while (0)

#undef assert_true
#define assert_true(c) HEDDLE_CMOCKA_1(assert_true, #c, cast_to_largest_integral_type(c))
#undef assert_false
#define assert_false(c) HEDDLE_CMOCKA_1(assert_false, "!(" #c ")", !cast_to_largest_integral_type(c))
#undef assert_non_null
#define assert_non_null(c) HEDDLE_CMOCKA_1(assert_non_null, #c " != NULL", cast_ptr_to_largest_integral_type(c))
#undef assert_null
#define assert_null(c) HEDDLE_CMOCKA_1(assert_null, #c " == NULL", !cast_ptr_to_largest_integral_type(c))

#undef assert_return_code
#define assert_return_code(rc, error)                                                                \
    do {                                                                                             \
        LargestIntegralType heddle_a = cast_to_largest_integral_type(rc);                            \
        LargestIntegralType heddle_b = cast_to_largest_integral_type(error);                         \
        HEDDLE_CMOCKA("assert_return_code(" #rc ", " #error ")",                                     \
                      _assert_return_code(heddle_a, sizeof(rc), heddle_b, #rc, __FILE__, __LINE__)); \
    } while (0)

#undef assert_int_equal
#define assert_int_equal(a, b)                                                                       \
    HEDDLE_CMOCKA_2(LargestIntegralType, _assert_int_equal, "assert_int_equal(" #a ", " #b ")",      \
                    cast_to_largest_integral_type(a), cast_to_largest_integral_type(b))
#undef assert_int_not_equal
#define assert_int_not_equal(a, b)                                                                   \
    HEDDLE_CMOCKA_2(LargestIntegralType, _assert_int_not_equal, "assert_int_not_equal(" #a ", " #b ")", \
                    cast_to_largest_integral_type(a), cast_to_largest_integral_type(b))
#undef assert_ptr_equal
#define assert_ptr_equal(a, b)                                                                       \
    HEDDLE_CMOCKA_2(LargestIntegralType, _assert_int_equal, "assert_ptr_equal(" #a ", " #b ")",      \
                    cast_ptr_to_largest_integral_type(a), cast_ptr_to_largest_integral_type(b))
#undef assert_ptr_not_equal
#define assert_ptr_not_equal(a, b)                                                                   \
    HEDDLE_CMOCKA_2(LargestIntegralType, _assert_int_not_equal, "assert_ptr_not_equal(" #a ", " #b ")", \
                    cast_ptr_to_largest_integral_type(a), cast_ptr_to_largest_integral_type(b))
#ifdef assert_float_equal
#undef assert_float_equal
#define assert_float_equal(a, b, epsilon)                                                            \
    HEDDLE_CMOCKA_3(float, _assert_float_equal, "assert_float_equal(" #a ", " #b ", " #epsilon ")",  \
                    (float)(a), (float)(b), (float)(epsilon))
#undef assert_float_not_equal
#define assert_float_not_equal(a, b, epsilon)                                                        \
    HEDDLE_CMOCKA_3(float, _assert_float_not_equal, "assert_float_not_equal(" #a ", " #b ", " #epsilon ")", \
                    (float)(a), (float)(b), (float)(epsilon))
#endif

#define HEDDLE_CMOCKA_STRINGS(function, text, a, b)                                                  \
    do {                                                                                             \
        const char *heddle_a = (const char *)(a), *heddle_b = (const char *)(b);                     \
        heddle__strings(heddle_a, heddle_b);                                                         \
        HEDDLE_CMOCKA(text, function(heddle_a, heddle_b, __FILE__, __LINE__));                       \
    } while (0)
#undef assert_string_equal
#define assert_string_equal(a, b)                                                                    \
    HEDDLE_CMOCKA_STRINGS(_assert_string_equal, "assert_string_equal(" #a ", " #b ")", a, b)
#undef assert_string_not_equal
#define assert_string_not_equal(a, b)                                                                \
    HEDDLE_CMOCKA_STRINGS(_assert_string_not_equal, "assert_string_not_equal(" #a ", " #b ")", a, b)

#define HEDDLE_CMOCKA_BYTES(function, text, a, b, size)                                              \
    do {                                                                                             \
        const char *heddle_a = (const char *)(a), *heddle_b = (const char *)(b);                     \
        size_t heddle_size = (size);                                                                 \
        heddle__bytes(heddle_a, heddle_b, heddle_size);                                              \
        HEDDLE_CMOCKA(text, function(heddle_a, heddle_b, heddle_size, __FILE__, __LINE__));          \
    } while (0)
#undef assert_memory_equal
#define assert_memory_equal(a, b, size)                                                              \
    HEDDLE_CMOCKA_BYTES(_assert_memory_equal, "assert_memory_equal(" #a ", " #b ", " #size ")", a, b, size)
#undef assert_memory_not_equal
#define assert_memory_not_equal(a, b, size)                                                          \
    HEDDLE_CMOCKA_BYTES(_assert_memory_not_equal, "assert_memory_not_equal(" #a ", " #b ", " #size ")", a, b, size)

#undef assert_in_range
#define assert_in_range(value, low, high)                                                            \
    HEDDLE_CMOCKA_3(LargestIntegralType, _assert_in_range, "assert_in_range(" #value ", " #low ", " #high ")", \
                    cast_to_largest_integral_type(value), cast_to_largest_integral_type(low),        \
                    cast_to_largest_integral_type(high))
#undef assert_not_in_range
#define assert_not_in_range(value, low, high)                                                        \
    HEDDLE_CMOCKA_3(LargestIntegralType, _assert_not_in_range, "assert_not_in_range(" #value ", " #low ", " #high ")", \
                    cast_to_largest_integral_type(value), cast_to_largest_integral_type(low),        \
                    cast_to_largest_integral_type(high))

#define HEDDLE_CMOCKA_SET(function, text, value, values, count)                                      \
    do {                                                                                             \
        LargestIntegralType heddle_a = (value);                                                      \
        const LargestIntegralType *heddle_b = (values);                                              \
        size_t heddle_size = (count);                                                                \
        HEDDLE_CMOCKA(text, function(heddle_a, heddle_b, heddle_size, __FILE__, __LINE__));          \
    } while (0)
#undef assert_in_set
#define assert_in_set(value, values, count)                                                          \
    HEDDLE_CMOCKA_SET(_assert_in_set, "assert_in_set(" #value ", " #values ")", value, values, count)
#undef assert_not_in_set
#define assert_not_in_set(value, values, count)                                                      \
    HEDDLE_CMOCKA_SET(_assert_not_in_set, "assert_not_in_set(" #value ", " #values ")", value, values, count)

#undef fail
#define fail() HEDDLE_CMOCKA("fail()", _fail(__FILE__, __LINE__))
#undef fail_msg
#define fail_msg(...) HEDDLE_CMOCKA("fail_msg(" #__VA_ARGS__ ")", \
                                    (print_error("ERROR: " __VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__)))
#undef skip
#define skip()                                                                                       \
    do {                                                                                             \
        if (heddle_cmocka_skip)                                                                      \
            heddle_cmocka_skip();                                                                    \
        _skip(__FILE__, __LINE__);                                                                   \
    } while (0)

#endif
