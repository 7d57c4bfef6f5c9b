/* SPDX-License-Identifier: Apache-2.0
 * A pair that is copied in one call by one thread and looked at by another. With
 * -DFIXED the copy is made under the lock. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { long a, b; } shared, fresh = { 1, 1 };
static long torn;

static void *copy(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    memcpy(&shared, &fresh, sizeof shared);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    torn = shared.a != shared.b;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, copy, NULL);
    pthread_create(&reader, NULL, look, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return torn ? 1 : 0;
}
