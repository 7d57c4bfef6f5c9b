/* SPDX-License-Identifier: Apache-2.0
 * A worker touches a block after it said that it was done with it; its twin says so afterwards. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *block;
static int done;

static void say_done(void)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
}

static void *works_late(void *unused)
{
    say_done();
    ++*block;
    return unused;
}

static void *works(void *unused)
{
    pthread_mutex_lock(&lock);
    if (!done)
        ++*block;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *closes(void *unused)
{
    say_done();
    free(block);
    return unused;
}

static void run(void *(*worker)(void *))
{
    pthread_t a, b;
    done = 0;
    block = calloc(1, sizeof *block);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, closes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    CU_ASSERT(done >= 1);
}

static void late(void) { run(works_late); }
static void in_time(void) { run(works); }

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("free", NULL, NULL);
    CU_add_test(suite, "late", late);
    CU_add_test(suite, "in_time", in_time);
    CU_basic_run_tests();
    CU_cleanup_registry();
    return 0;
}
