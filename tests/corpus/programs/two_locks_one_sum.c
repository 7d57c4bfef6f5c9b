/* SPDX-License-Identifier: Apache-2.0
 * class: atomicity, two locks
 * bug: the audit locks each account in turn, so a transfer fits between
 * expect: FAILING, the audit misses the money under way */
#include "threads.h"

static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER, right_lock = PTHREAD_MUTEX_INITIALIZER;
static long left = 100, right = 100;

static void *transfer(void *unused)
{
    pthread_mutex_lock(&left_lock);
    pthread_mutex_lock(&right_lock);
    left -= 30;
    right += 30;
    pthread_mutex_unlock(&right_lock);
    pthread_mutex_unlock(&left_lock);
    return unused;
}

static void *audit(void *unused)
{
    long total = 0;
    pthread_mutex_lock(&left_lock);
    total += left;
#ifdef FIXED
    pthread_mutex_lock(&right_lock);
    total += right;
    pthread_mutex_unlock(&right_lock);
    pthread_mutex_unlock(&left_lock);
#else
    pthread_mutex_unlock(&left_lock);
    pthread_mutex_lock(&right_lock);
    total += right;
    pthread_mutex_unlock(&right_lock);
#endif
    assert(total == 200);
    return unused;
}

int main(void)
{
    run_two(transfer, audit);
    assert(left + right == 200);
}
