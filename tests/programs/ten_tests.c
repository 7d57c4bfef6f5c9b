/* SPDX-License-Identifier: Apache-2.0
 * A suite of ten tests, all correct: nothing to find. */
#include <CUnit/Basic.h>
#include <heddle/cunit.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int value, items, made;
static atomic_int count;

static void both(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a, b;
    value = items = 0;
    atomic_store(&count, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

static void *locked_add(void *unused)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *atomic_add(void *unused)
{
    atomic_fetch_add(&count, 1);
    return unused;
}

static void *write_value(void *unused)
{
    pthread_rwlock_wrlock(&rwlock);
    value = 7;
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void *read_value(void *unused)
{
    pthread_rwlock_rdlock(&rwlock);
    int seen = value;
    pthread_rwlock_unlock(&rwlock);
    CU_ASSERT(seen == 0 || seen == 7);
    return unused;
}

static void *put(void *unused)
{
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!items)
        pthread_cond_wait(&changed, &lock);
    items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *meet(void *unused)
{
    pthread_barrier_wait(&barrier);
    return locked_add(unused);
}

static void *post(void *unused)
{
    value = 3;
    sem_post(&semaphore);
    return unused;
}

static void *wait_for_post(void *unused)
{
    sem_wait(&semaphore);
    CU_ASSERT(value == 3);
    return unused;
}

static void make(void)
{
    made++;
}

static void *make_once(void *unused)
{
    pthread_once(&once, make);
    return unused;
}

static void *try_add(void *unused)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return unused;
    value = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *idle(void *unused)
{
    return unused;
}

static void test_mutex(void) { both(locked_add, locked_add); CU_ASSERT(value == 2); }
static void test_atomic(void) { both(atomic_add, atomic_add); CU_ASSERT(atomic_load(&count) == 2); }
static void test_rwlock(void) { both(write_value, read_value); CU_ASSERT(value == 7); }
static void test_condition(void) { both(put, take); CU_ASSERT(items == 0); }
static void test_once(void) { both(make_once, make_once); CU_ASSERT(made == 1); }
static void test_try(void) { both(try_add, idle); CU_ASSERT(value == 1); }
static void test_idle(void) { both(idle, idle); }
static void test_alone(void) { value = 5; CU_ASSERT(value == 5); }

static void test_barrier(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    both(meet, meet);
    pthread_barrier_destroy(&barrier);
    CU_ASSERT(value == 2);
}

static void test_semaphore(void)
{
    sem_init(&semaphore, 0, 0);
    both(post, wait_for_post);
    sem_destroy(&semaphore);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("ten", NULL, NULL);
    CU_add_test(suite, "mutex", test_mutex);
    CU_add_test(suite, "atomic", test_atomic);
    CU_add_test(suite, "rwlock", test_rwlock);
    CU_add_test(suite, "condition", test_condition);
    CU_add_test(suite, "barrier", test_barrier);
    CU_add_test(suite, "semaphore", test_semaphore);
    CU_add_test(suite, "once", test_once);
    CU_add_test(suite, "try", test_try);
    CU_add_test(suite, "idle", test_idle);
    CU_add_test(suite, "alone", test_alone);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failed != 0;
}
