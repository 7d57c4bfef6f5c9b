/* SPDX-License-Identifier: Apache-2.0
 * class: a loop of 1,000 iterations
 * bug: the loop gives others a chance after every 1,000 items and forgets that its state may change then
 * expect: FAILING, an item is lost */
#include "threads.h"

#define ROUNDS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items;

static void *add_many(void *unused)
{
    pthread_mutex_lock(&lock);
    int count = items;
    for (int i = 0; i < ROUNDS; i++)
        items = ++count;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    items = ++count;
#else
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    items++;
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *add_one(void *unused)
{
    pthread_mutex_lock(&lock);
    items++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_two(add_many, add_one);
    assert(items == ROUNDS + 2);
}
