/* SPDX-License-Identifier: Apache-2.0
 * Criterion: assertions of both kinds, ends of every kind, fixtures, parameters. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#ifdef NEW_ASSERTIONS
#include <criterion/new/assert.h>
#endif
#include <heddle/criterion.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int value;
int torn_down;
static int *volatile nowhere;

static void open_suite(void) { value = 1; }
static void open_test(void) { value++; }
static void close_test(void) { torn_down = value; }

TestSuite(acts, .init = open_suite);

#ifdef NEW_ASSERTIONS
Test(acts, holds, .init = open_test, .fini = close_test) { cr_assert(eq(int, value, 2)); }

Test(acts, fails, .init = open_test, .fini = close_test)
{
    cr_expect(eq(int, value, 3));
    cr_assert(eq(int, value, 4));
    value = 50;
}
#else
Test(acts, holds, .init = open_test, .fini = close_test)
{
    cr_assert(value == 2);
    cr_expect_eq(value, 2, "value is %d", value);
    cr_assert_str_eq("abc", "abc");
    cr_assert_not_null(&value);
}

Test(acts, fails, .init = open_test, .fini = close_test)
{
    cr_expect_eq(value, 3);
    cr_assert_eq(value, 4, "value is %d", value);
    value = 50;
}
#endif

Test(acts, crashes) { *nowhere = 1; }
Test(acts, aborts, .signal = SIGABRT) { abort(); }
Test(acts, exits, .exit_code = 3) { exit(3); }

static void *other(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&a);
    return unused;
}

Test(acts, deadlocks)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b);
}

static void *worker(void *unused)
{
    cr_assert(value == 7);
    value = 51;
    return unused;
}

Test(acts, in_worker)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    value = 52;
}

ParameterizedTestParameters(acts, each)
{
    static int number[] = { 4, 5, 6 };
    return cr_make_param_array(int, number, 3);
}

ParameterizedTest(int *number, acts, each)
{
    value = *number;
    cr_assert(value != 5);
}
