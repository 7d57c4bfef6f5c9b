/* SPDX-License-Identifier: Apache-2.0
 * Waiting that nobody sees: raw system calls, and loops without call-outs. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];
static int word;
static volatile int flag;
long shared;

static void *writes(void *unused)
{
    shared = 1;
    syscall(SYS_write, ends[1], "x", 1);
    return unused;
}

static void *wakes(void *unused)
{
    shared = 2;
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return unused;
}

static void *raises(void *unused)
{
    shared = 3;
    flag = 1;
    return unused;
}

__attribute__((no_sanitize("thread"))) static void wait_word(void)
{
    while (*(volatile int *)&word == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

__attribute__((no_sanitize("thread"))) static void wait_flag(void)
{
    while (!flag)
        ;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    char byte = 0;
    pthread_t t;
    if (strcmp(how, "read") == 0) {
        if (pipe(ends) != 0)
            return 2;
        pthread_create(&t, NULL, writes, NULL);
        if (syscall(SYS_read, ends[0], &byte, 1) != 1)
            return 3;
    } else if (strcmp(how, "futex") == 0) {
        pthread_create(&t, NULL, wakes, NULL);
        wait_word();
    } else {
        pthread_create(&t, NULL, raises, NULL);
        wait_flag();
    }
    long seen = shared;
    pthread_join(t, NULL);
    return seen ? 0 : 1;
}
