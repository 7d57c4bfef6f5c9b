/* SPDX-License-Identifier: Apache-2.0
 * The twin of check_then_act_test.c: look and take in one critical section. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool in_use;
static char sent;

static bool take(void)
{
    pthread_mutex_lock(&lock);
    bool mine = !in_use;
    in_use = true;
    pthread_mutex_unlock(&lock);
    return mine;
}

static void give_back(void)
{
    pthread_mutex_lock(&lock);
    in_use = false;
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
    if (take()) {
        send_request(me->name);
        me->answer = receive_answer();
        give_back();
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
