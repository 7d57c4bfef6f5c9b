/* SPDX-License-Identifier: Apache-2.0
 * class: use after free
 * bug: a reader keeps a pointer into an array that the writer grows
 * expect: FAILING, use after free */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *list;
static size_t length = 2;

static void *grow(void *unused)
{
    pthread_mutex_lock(&lock);
    list = realloc(list, 4096 * sizeof *list);
    list[length++] = 3;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    const int *at = &list[0];
#ifdef FIXED
    int value = *at;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_unlock(&lock);
    int value = *at;
#endif
    assert(value == 1);
    return unused;
}

int main(void)
{
    list = malloc(2 * sizeof *list);
    list[0] = 1;
    list[1] = 2;
    run_two(first, grow);
    free(list);
}
