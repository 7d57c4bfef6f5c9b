/* SPDX-License-Identifier: Apache-2.0
 * A shared library with a lost update between its two critical sections. */
#include "account.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long balance = 100;

void deposit(long amount)
{
    pthread_mutex_lock(&lock);
    long seen = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = seen + amount;
    pthread_mutex_unlock(&lock);
}

long balance_now(void)
{
    pthread_mutex_lock(&lock);
    long now = balance;
    pthread_mutex_unlock(&lock);
    return now;
}
