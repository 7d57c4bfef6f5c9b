/* SPDX-License-Identifier: Apache-2.0
 * Check-then-act: the connection is looked at in one critical section and taken
 * in the next, and what was true then need not be true now. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool in_use;
static char sent;

static bool is_free(void)
{
    pthread_mutex_lock(&lock);
    bool answer = !in_use;
    pthread_mutex_unlock(&lock);
    return answer;
}

static void set_in_use(bool value)
{
    pthread_mutex_lock(&lock);
    in_use = value;
    pthread_mutex_unlock(&lock);
}

/* The one connection: what goes in comes out, for whoever is there. */
static void send_request(char request)
{
    pthread_mutex_lock(&lock);
    sent = request;
    pthread_mutex_unlock(&lock);
}

static char receive_answer(void)
{
    pthread_mutex_lock(&lock);
    char answer = sent;
    pthread_mutex_unlock(&lock);
    return answer;
}

struct client {
    char name, answer; /* answer: what came back, '-' where the connection was busy */
};

static void *ask(void *data)
{
    struct client *me = data;
    me->answer = '-';
    if (is_free()) {
        set_in_use(true); /* the bug: another client may have been told the same */
        send_request(me->name);
        me->answer = receive_answer();
        set_in_use(false);
    }
    return NULL;
}

/* A client may be turned away; one that is served gets its own answer. */
static void test_two_clients(void)
{
    pthread_t first, second;
    struct client a = { .name = 'a' }, b = { .name = 'b' };
    pthread_create(&first, NULL, ask, &a);
    pthread_create(&second, NULL, ask, &b);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CU_ASSERT(a.answer == 'a' || a.answer == '-');
    CU_ASSERT(b.answer == 'b' || b.answer == '-');
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("check_then_act", NULL, NULL);
    CU_add_test(suite, "two_clients", test_two_clients);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
