/* SPDX-License-Identifier: Apache-2.0
 * One address, one thing after another: reuse block | stack | init | threads | many */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node { pthread_mutex_t lock; long value; };
static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *use(void *p)
{
    struct node *n = p;
    pthread_mutex_lock(&n->lock);
    n->value++;
    pthread_mutex_unlock(&n->lock);
    return NULL;
}

static void *use_own(void *unused)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    total++;
    pthread_mutex_unlock(&own);
    return unused;
}

static void with_thread(void *(*f)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, f, argument);
    pthread_join(thread, NULL);
}

/* The allocator hands the same block out again; nobody calls destroy. */
static void blocks(int count)
{
    for (int i = 0; i < count; i++) {
        struct node *n = malloc(sizeof *n);
        n->lock = fresh;
        n->value = 0;
        use(n);
        total += n->value;
        free(n);
    }
}

static void inits(int count)
{
    static struct node n;
    for (int i = 0; i < count; i++) {
        pthread_mutex_init(&n.lock, NULL);
        use(&n);
    }
    total = n.value;
}

static void many(int count)
{
    struct node *n = calloc((size_t)count, sizeof *n);
    for (int i = 0; i < count; i++)
        n[i].lock = fresh;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < count; i++)
            use(&n[i]);
    for (int i = 0; i < count; i++)
        total += n[i].value / 2;
    free(n);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : 10;
    if (strcmp(how, "block") == 0)
        blocks(count);
    else if (strcmp(how, "init") == 0)
        inits(count);
    else if (strcmp(how, "many") == 0)
        many(count);
    else
        for (int i = 0; i < count; i++)
            with_thread(use_own, NULL);
    return total == count ? 0 : 1;
}
