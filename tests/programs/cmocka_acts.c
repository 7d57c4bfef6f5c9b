/* SPDX-License-Identifier: Apache-2.0
 * cmocka: every kind of assertion, in every part of a test, and what cmocka finds by itself. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <heddle/cmocka.h>

static int value;
int torn_down;
static char text[8];

static int set_up(void **state)
{
    strcpy(text, "abc");
    value = 2;
    *state = &value;
    return 0;
}

static int tear_down(void **state)
{
    torn_down = *(int *)*state;
    return 0;
}

static int bad_set_up(void **state)
{
    (void)state;
    return -1;
}

static void holds(void **state)
{
    assert_true(value == 2);
    assert_false(value == 3);
    assert_int_equal(value, 2);
    assert_int_not_equal(value, 3);
    assert_non_null(*state);
    assert_null(NULL);
    assert_ptr_equal(*state, &value);
    assert_string_equal(text, "abc");
    assert_string_not_equal(text, "abd");
    assert_memory_equal(text, "abc", 3);
    assert_in_range(value, 1, 3);
    assert_return_code(value, 0);
}

static void fails(void **state)
{
    (void)state;
    assert_string_equal(text, "abd");
    value = 50;
}

static void message(void **state)
{
    (void)state;
    fail_msg("value is %d", value);
}

static void *worker(void *unused)
{
    assert_int_equal(value, 7);
    value = 51;
    return unused;
}

static void in_worker(void **state)
{
    pthread_t thread;
    (void)state;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    value = 52;
}

static int asked(int question)
{
    check_expected(question);
    return (int)mock();
}

static void mocks(void **state)
{
    (void)state;
    expect_value(asked, question, 3);
    will_return(asked, 1);
    assert_int_equal(asked(4), 1);
}

static void unused_mock(void **state)
{
    (void)state;
    will_return(asked, 1);
}

static void skipped(void **state)
{
    (void)state;
    skip();
}

static void never(void **state)
{
    (void)state;
    value = 53;
}

static void last(void **state) { assert_int_equal(*(int *)*state, 2); }

int main(void)
{
    const struct CMUnitTest acts[] = {
        cmocka_unit_test_setup_teardown(holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fails, set_up, tear_down),
        cmocka_unit_test(message),
        cmocka_unit_test(in_worker),
        cmocka_unit_test(mocks),
        cmocka_unit_test(unused_mock),
        cmocka_unit_test(skipped),
        cmocka_unit_test_setup(never, bad_set_up),
        cmocka_unit_test_setup_teardown(last, set_up, tear_down),
    };
    return cmocka_run_group_tests(acts, NULL, NULL) ? 1 : 0;
}
