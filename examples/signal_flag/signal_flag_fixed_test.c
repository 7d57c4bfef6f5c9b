/* SPDX-License-Identifier: Apache-2.0
 * The twin of signal_flag_test.c: the number first, the flag last. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static atomic_int stop;
static volatile sig_atomic_t reason;

static void on_signal(int number)
{
    reason = number;
    stop = 1;
}

static void *serve(void *seen)
{
    while (!stop)
        sched_yield();
    *(int *)seen = reason;
    return NULL;
}

static void test_stop(void)
{
    pthread_t server;
    int seen = 0;
    struct sigaction action = { .sa_handler = on_signal }, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, &before);
    pthread_create(&server, NULL, serve, &seen);
    raise(SIGUSR1);
    pthread_join(server, NULL);
    sigaction(SIGUSR1, &before, NULL);
    CU_ASSERT_EQUAL(seen, SIGUSR1);
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("signal_flag", NULL, NULL);
    CU_add_test(suite, "stop", test_stop);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
