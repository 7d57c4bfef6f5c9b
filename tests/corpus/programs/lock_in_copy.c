/* SPDX-License-Identifier: Apache-2.0
 * class: lock on a copy
 * bug: the account is passed by value, and with it the lock: each thread locks its own
 * expect: FAILING, a deposit is lost */
#include "threads.h"

struct account { pthread_mutex_t lock; long *balance; };

static long balance;
static struct account shared = { PTHREAD_MUTEX_INITIALIZER, &balance };

#ifdef FIXED
static void deposit(struct account *a, long amount)
{
    pthread_mutex_lock(&a->lock);
    *a->balance += amount;
    pthread_mutex_unlock(&a->lock);
}
#else
static void deposit(struct account a, long amount)
{
    pthread_mutex_lock(&a.lock);
    *a.balance += amount;
    pthread_mutex_unlock(&a.lock);
}
#endif

static void *pay(void *unused)
{
#ifdef FIXED
    deposit(&shared, 5);
#else
    deposit(shared, 5);
#endif
    return unused;
}

int main(void)
{
    run_two(pay, pay);
    assert(balance == 10);
}
