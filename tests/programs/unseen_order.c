/* SPDX-License-Identifier: Apache-2.0
 * An order that the analysis does not know of: what a pipe has to say. That the reader reads before the writer
 * wrote cannot be (its rerun diverges); that it looks before the other pipe is filled can, and only another
 * schedule shows it. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static int data[2], hint[2], x, seen, late;

static void *writer(void *unused)
{
    x = 1;
    if (write(data[1], "a", 1) != 1 || write(hint[1], "b", 1) != 1)
        return NULL;
    return unused;
}

static void *reader(void *unused)
{
    struct pollfd first = { .fd = hint[0], .events = POLLIN }, then = { .fd = data[0], .events = POLLIN };
    late = poll(&first, 1, 0) != 1;
    while (poll(&then, 1, 0) != 1)
        sched_yield();
    seen = x;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    (void)argv;
    if (pipe(data) != 0 || pipe(hint) != 0)
        return 2;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen != 1 || (late && argc == 1);
}
