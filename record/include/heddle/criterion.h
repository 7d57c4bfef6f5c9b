/* SPDX-License-Identifier: Apache-2.0
 * The one added line: include this after Criterion's headers and the tests
 * record, each under its name with its init and fini and those of its suite.
 * The processes of a parameterized test are NAME:1, NAME:2, ...; a theory is
 * one test. Under heddle tests run one after the other (CRITERION_JOBS=1).
 *
 * An assertion that fails for good in another thread than the test's ends that
 * thread; Criterion alone would jump into the stack of another one.
 *
 * The new assertions (criterion/new/assert.h) build the message of a failure in
 * the test's own stack frame: that shows in the trace, on the way to the failure. */
#ifndef HEDDLE_CRITERION_H
#define HEDDLE_CRITERION_H

#include <heddle/framework.h>

#ifdef __cplusplus
extern "C" {
#endif
int heddle_criterion_begin(const char *suite, const char *test, int parameters, int signal, int status)
    __attribute__((weak));
void heddle_criterion_failing(const char *file, unsigned line, const char *message) __attribute__((weak));
void heddle_criterion_held(const char *file, unsigned line, const char *message) __attribute__((weak));
void heddle_criterion_over(void) __attribute__((weak));
void heddle_criterion_announce(const char *file, unsigned line, const char *text) __attribute__((weak));
void heddle_criterion_sends(void) __attribute__((weak));
void heddle_criterion_announced(void) __attribute__((weak));
#ifdef __cplusplus
}
#endif

/* -------------------------------------------------------------------- tests */

/* The user's functions of the one test of this process; with heddle's in their place. */
static struct {
    void (*test)(void *), (*init)(void), (*fini)(void), (*suite_init)(void), (*suite_fini)(void);
    int on;
} heddle__criterion __attribute__((unused));

#define HEDDLE_CRITERION __attribute__((unused, no_sanitize("thread"))) static
#define HEDDLE_CRITERION_CALL(name)                                                                  \
    HEDDLE_CRITERION void heddle__criterion_##name(void)                                             \
    {                                                                                                \
        heddle__loud();                                                                              \
        heddle__criterion.name();                                                                    \
        heddle__quiet();                                                                             \
    }
HEDDLE_CRITERION_CALL(init)
HEDDLE_CRITERION_CALL(fini)
HEDDLE_CRITERION_CALL(suite_init)
HEDDLE_CRITERION_CALL(suite_fini)

/* A test without parameters takes none: as Criterion itself, this passes one all the same. */
HEDDLE_CRITERION void heddle__criterion_test(void *parameter)
{
    if (heddle_loud_from)
        heddle_loud_from(__builtin_frame_address(0));
    heddle__criterion.test(parameter);
    heddle__quiet();
}

HEDDLE_CRITERION void heddle__criterion_nothing(void) { }

#define HEDDLE_CRITERION_PUT(data, function, name)                                                   \
    do {                                                                                             \
        if ((data) && (data)->function) {                                                            \
            heddle__criterion.name = (data)->function;                                               \
            (data)->function = chosen ? heddle__criterion_##name : heddle__criterion_nothing;        \
        }                                                                                            \
    } while (0)

HEDDLE_CRITERION void heddle__criterion_set_up(void)
{
    const struct criterion_test *test = criterion_current_test;
    struct criterion_test_extra_data *data = test->data;
    struct criterion_test_extra_data *suite = criterion_current_suite ? criterion_current_suite->data : NULL;
    if (heddle_criterion_begin) {
        int parameters = data->kind_ == CR_TEST_PARAMETERIZED;
        int chosen = heddle_criterion_begin(test->category, test->name, parameters, data->signal, data->exit_code);
        heddle__quiet();
        heddle__criterion.on = chosen;
        HEDDLE_CRITERION_PUT(data, init, init);
        HEDDLE_CRITERION_PUT(data, fini, fini);
        HEDDLE_CRITERION_PUT(suite, init, suite_init);
        HEDDLE_CRITERION_PUT(suite, fini, suite_fini);
    }
    criterion_internal_test_setup();
}
#define criterion_internal_test_setup heddle__criterion_set_up

HEDDLE_CRITERION void heddle__criterion_main(void (*test)(void))
{
    heddle__criterion.test = (void (*)(void *))test;
    if (!heddle_criterion_begin)
        criterion_internal_test_main(test);
    else if (heddle__criterion.on)
        criterion_internal_test_main((void (*)(void))heddle__criterion_test);
    else
        criterion_internal_test_main(heddle__criterion_nothing);
    heddle__quiet();
}
#define criterion_internal_test_main heddle__criterion_main

HEDDLE_CRITERION void heddle__criterion_tear_down(void)
{
    criterion_internal_test_teardown();
    heddle__loud();
    if (heddle__criterion.on)
        heddle_test_end(1); /* unless an assertion failed */
}
#define criterion_internal_test_teardown heddle__criterion_tear_down

/* --------------------------------------------------------------- assertions */

#define heddle__criterion_note(how, message)                                                         \
    (heddle_criterion_##how ? heddle_criterion_##how(__FILE__, __LINE__, message) : (void)0)

#undef cr_assert_impl
#define cr_assert_impl(Fail, Condition, ...)                                                         \
    do {                                                                                             \
        bool heddle_passed = (Condition) ? true : false;                                             \
        heddle__quiet();                                                                             \
        if (!heddle_passed || criterion_options.full_stats) {                                        \
            char *heddle_message = NULL;                                                             \
            int heddle_shift = 0;                                                                    \
            CR_EXPAND(CR_INIT_STATS_(heddle_message, heddle_shift, CR_VA_TAIL(__VA_ARGS__)));        \
            struct criterion_assert_stats heddle_stats = { heddle_message, heddle_passed, __LINE__, __FILE__, NULL }; \
            criterion_send_assert(&heddle_stats);                                                    \
            if (!heddle_passed)                                                                      \
                heddle__criterion_note(failing, heddle_message);                                     \
            cr_asprintf_free(heddle_message - heddle_shift);                                         \
        }                                                                                            \
        if (!heddle_passed) {                                                                        \
            Fail();                                                                                  \
            heddle_criterion_over ? heddle_criterion_over() : (void)0;                               \
        } else {                                                                                     \
            cri_asserts_passed_incr();                                                               \
            if (heddle_criterion_held) {                                                             \
                char *heddle_text = CR_EXPAND(CR_TRANSLATE_DEF_MSG_(CR_VA_TAIL(__VA_ARGS__)));       \
                heddle_criterion_held(__FILE__, __LINE__, heddle_text);                              \
                heddle__quiet();                                                                     \
                cr_asprintf_free(heddle_text);                                                       \
            }                                                                                        \
        }                                                                                            \
        heddle__loud();                                                                              \
    } while (0)

#ifdef CRITERION_NEW_ASSERT_H_
#define HEDDLE_CRITERION_NEW(name, fail, ...)                                                        \
    do {                                                                                             \
        heddle__criterion_note(announce, name "(" #__VA_ARGS__ ")");                                 \
        cr_assert_user(__FILE__, __LINE__, fail, __VA_ARGS__);                                       \
        heddle_criterion_announced ? heddle_criterion_announced() : (void)0;                         \
    } while (0)
#undef cr_assert
#define cr_assert(...) HEDDLE_CRITERION_NEW("cr_assert", criterion_abort_test, __VA_ARGS__)
#undef cr_expect
#define cr_expect(...) HEDDLE_CRITERION_NEW("cr_expect", criterion_continue_test, __VA_ARGS__)

HEDDLE_CRITERION void heddle__node_send(const char *file, size_t line, struct cri_assert_node *tree)
{
    if (heddle_criterion_sends)
        heddle_criterion_sends();
    cri_assert_node_send(file, line, tree);
}
#define cri_assert_node_send heddle__node_send
#endif

#endif
