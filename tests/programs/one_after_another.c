/* SPDX-License-Identifier: Apache-2.0
 * Each wrong turn opens the next: the second read is only there where the first came too early, the third where
 * the second did. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z, bad;

static int get(int *p)
{
    pthread_mutex_lock(&lock);
    int value = *p;
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int *p)
{
    pthread_mutex_lock(&lock);
    *p = 1;
    pthread_mutex_unlock(&lock);
}

static void *writer(void *unused)
{
    set(&x);
    set(&y);
    set(&z);
    return unused;
}

static void *reader(void *unused)
{
    if (!get(&x) && get(&y) && !get(&z))
        bad = 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return bad;
}
