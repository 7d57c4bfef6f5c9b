/* SPDX-License-Identifier: Apache-2.0
 * class: benign race
 * bug: none: an unlocked look decides only whether to look again under the lock
 * expect: harmless, in both forms */
#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pending = 2, handled;

static void *handle(void *unused)
{
#ifndef FIXED
    if (!pending)
        return unused;
#endif
    pthread_mutex_lock(&lock);
    if (pending) {
        pending--;
        handled++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

ONE_TEST(each_is_handled_once)
{
    pthread_t a = spawn(handle, NULL), b = spawn(handle, NULL), c = spawn(handle, NULL);
    join(a);
    join(b);
    join(c);
    CU_ASSERT_EQUAL(handled, 2);
    CU_ASSERT_EQUAL(pending, 0);
}
