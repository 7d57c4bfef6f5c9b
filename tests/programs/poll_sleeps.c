/* SPDX-License-Identifier: Apache-2.0
 * poll and select of nothing are sleeps: they cost no time, and a thread that
 * waits so for another lets it run. */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/select.h>

static volatile int ready;

static void *make_ready(void *unused)
{
    (void)unused;
    ready = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct timeval hour = { 3600, 0 };
    struct timespec day = { 86400, 0 };
    pthread_create(&thread, NULL, make_ready, NULL);
    while (!ready)
        assert(poll(NULL, 0, 3600000) == 0);
    assert(select(0, NULL, NULL, NULL, &hour) == 0);
    assert(ppoll(NULL, 0, &day, NULL) == 0);
    assert(pselect(0, NULL, NULL, NULL, &day, NULL) == 0);
    pthread_join(thread, NULL);
    return 0;
}
