/* SPDX-License-Identifier: Apache-2.0
 * class: conditional nested locking
 * bug: the locks are taken in the order of the arguments
 * expect: FAILING, deadlock of two transfers in opposite directions */
#include "one_test.h"
#include "threads.h"

struct account { pthread_mutex_t lock; long balance; };

static struct account first = { PTHREAD_MUTEX_INITIALIZER, 100 }, second = { PTHREAD_MUTEX_INITIALIZER, 100 };

static void transfer(struct account *from, struct account *to, long amount)
{
#ifdef FIXED
    pthread_mutex_t *one = from < to ? &from->lock : &to->lock, *two = from < to ? &to->lock : &from->lock;
#else
    pthread_mutex_t *one = &from->lock, *two = &to->lock;
#endif
    pthread_mutex_lock(one);
    pthread_mutex_lock(two);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(two);
    pthread_mutex_unlock(one);
}

static void *forth(void *unused)
{
    transfer(&first, &second, 10);
    return unused;
}

static void *back(void *unused)
{
    transfer(&second, &first, 20);
    return unused;
}

ONE_TEST(the_sum_stays)
{
    run_two(forth, back);
    CU_ASSERT_EQUAL(first.balance + second.balance, 200);
}
