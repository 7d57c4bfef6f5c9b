/* SPDX-License-Identifier: Apache-2.0
 * A lost update in a program without a framework. All of main is the test. */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

/* The bug: the lock is let go between reading the balance and writing it. */
static void *deposit_ten(void *unused)
{
    pthread_mutex_lock(&lock);
    long seen = balance;
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    balance = seen + 10;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* That many threads deposit ten each. */
static void deposits(int count)
{
    pthread_t thread[2];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, deposit_ten, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

int main(void)
{
    balance = 100;
    deposits(2);
    assert(balance == 120);
    return 0;
}
