/* SPDX-License-Identifier: Apache-2.0
 * The reader sees the second value between its own two only where it is left
 * before an access and has another turn, and so has the thread that creates. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int value;
static int seen[2];

static void *set(void *to)
{
    value = *(int *)to;
    return NULL;
}

static void *get(void *unused)
{
    (void)unused;
    value = 7;
    seen[0] = value;
    seen[1] = value;
    return NULL;
}

int main(void)
{
    static int to[2] = { 1, 2 };
    pthread_t getter, setter[2];
    pthread_create(&getter, NULL, get, NULL);
    for (int i = 0; i < 2; i++) {
        to[i] += 10;
        pthread_create(&setter[i], NULL, set, &to[i]);
    }
    pthread_join(getter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(setter[i], NULL);
    assert(seen[0] != 11 || seen[1] != 12);
    return 0;
}
