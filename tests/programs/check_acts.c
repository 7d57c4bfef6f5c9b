/* SPDX-License-Identifier: Apache-2.0
 * Check: what a test can do to itself. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <check.h>
#include <heddle/check.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int value, set_up_calls;
static char text[8];
static int *volatile nowhere;
static void first_set_up(void) { value = 1; }
static void second_set_up(void)
{
    value = 2;
    strcpy(text, "abc");
    set_up_calls++;
}
static void tear_down(void) { value = 99; }
START_TEST(holds)
{
    ck_assert_int_eq(value, 2);
    ck_assert_str_eq(text, "abc");
    ck_assert(value == 2);
    ck_assert_msg(value > 1, "value is %d", value);
    ck_assert_ptr_nonnull(&value);
    ck_assert_mem_eq(text, "abc", 3);
    ck_assert_double_eq_tol(1.0, 1.0, 0.1);
}
END_TEST
START_TEST(message)
{
    ck_assert_msg(value > 2, "value is only %d", value);
    value = 50;
}
END_TEST
START_TEST(crashes) { value = 3; *nowhere = 1; } END_TEST
START_TEST(aborts) { value = 4; abort(); } END_TEST
START_TEST(exits) { value = 5; exit(3); } END_TEST
START_TEST(loop)
{
    ck_assert_int_lt(_i, 4);
    value = 100 + _i;
}
END_TEST
static void *other(void *p)
{
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&a);
    return p;
}
START_TEST(deadlocks)
{
    pthread_t t;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, other, NULL);
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b);
}
END_TEST
static void *worker(void *p)
{
    ck_assert_int_eq(value, 7);
    value = 51;
    return p;
}
START_TEST(in_worker)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    value = 52;
}
END_TEST
START_TEST(last) { ck_assert_int_eq(value, 2); } END_TEST
static void bad_set_up(void) { ck_abort_msg("no %s", "good"); }
START_TEST(never) { value = 1; } END_TEST
START_TEST(alone) { value = 8; } END_TEST
int main(int argc, char **argv)
{
    int all = argc > 1 && strcmp(argv[1], "all") == 0;
    Suite *s = suite_create("acts");
    TCase *t = tcase_create("core"), *bad = tcase_create("bad"), *plain = tcase_create("plain");
    tcase_add_checked_fixture(t, first_set_up, NULL);
    tcase_add_checked_fixture(t, second_set_up, tear_down);
    tcase_add_test(t, holds);
    tcase_add_test(t, message);
    if (all) {
        tcase_add_test(t, crashes);
        tcase_add_test_raise_signal(t, aborts, SIGABRT);
        tcase_add_exit_test(t, exits, 3);
        tcase_add_test(t, deadlocks);
    }
    tcase_add_loop_test(t, loop, 2, 5);
    tcase_add_test(t, in_worker);
    tcase_add_test(t, last);
    tcase_add_checked_fixture(bad, bad_set_up, tear_down);
    tcase_add_test(bad, never);
    tcase_add_test(plain, alone);
    suite_add_tcase(s, t);
    suite_add_tcase(s, bad);
    suite_add_tcase(s, plain);
    SRunner *r = srunner_create(s);
    if (!all)
        srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
