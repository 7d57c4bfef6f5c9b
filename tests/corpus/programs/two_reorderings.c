/* SPDX-License-Identifier: Apache-2.0
 * class: 2 reorderings
 * bug: a value is missed if the reader comes early for the flag and late for the data
 * expect: FAILING, needs two reads of another order */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stage, data = 1;

static int get(int *of)
{
    pthread_mutex_lock(&lock);
    int value = *of;
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int *of, int value)
{
    pthread_mutex_lock(&lock);
    *of = value;
    pthread_mutex_unlock(&lock);
}

static void *advance(void *unused)
{
    set(&stage, 1);
    set(&data, 2);
    set(&stage, 2);
    return unused;
}

static void *observe(void *unused)
{
    int first = get(&stage), seen = get(&data), last = get(&stage);
    bool missed = first == 1 && seen == 2 && last == 1;
#ifdef FIXED
    assert(!missed || first <= last);
#else
    assert(!missed);
#endif
    return unused;
}

int main(void)
{
    run_two(advance, observe);
}
