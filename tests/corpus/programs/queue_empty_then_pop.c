/* SPDX-License-Identifier: Apache-2.0
 * class: check-then-act on a queue
 * bug: empty() and pop() each lock, their combination does not
 * expect: FAILING, the second consumer pops from an empty queue */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int queue[4], first, past;
static int taken[2];

static bool is_empty(void)
{
    pthread_mutex_lock(&lock);
    bool empty = first == past;
    pthread_mutex_unlock(&lock);
    return empty;
}

static int pop(void)
{
    pthread_mutex_lock(&lock);
    int item = first < past ? queue[first++] : -1;
    pthread_mutex_unlock(&lock);
    return item;
}

static void *consume(void *result)
{
#ifdef FIXED
    int item = pop();
    *(int *)result = item < 0 ? 0 : item;
    (void)is_empty;
#else
    *(int *)result = is_empty() ? 0 : pop();
#endif
    return NULL;
}

ONE_TEST(one_item_two_consumers)
{
    queue[past++] = 7;
    pthread_t a = spawn(consume, &taken[0]), b = spawn(consume, &taken[1]);
    join(a);
    join(b);
    CU_ASSERT_EQUAL(taken[0] + taken[1], 7);
}
