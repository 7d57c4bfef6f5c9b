/* SPDX-License-Identifier: Apache-2.0
 * exit called by a worker while others work and main waits. */
#include <pthread.h>
#include <stdlib.h>

long reached, other, at_exit, never;

static void last(void)
{
    at_exit = 1;
}

static void *leaves(void *argument)
{
    reached = 1;
    exit(atoi(argument));
}

static void *works(void *unused)
{
    other = 2;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t first, second;
    atexit(last);
    pthread_create(&first, NULL, leaves, argc > 1 ? argv[1] : "0");
    pthread_create(&second, NULL, works, NULL);
    pthread_join(first, NULL);
    never = 1;
    return 9;
}
