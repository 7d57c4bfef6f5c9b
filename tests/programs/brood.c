/* SPDX-License-Identifier: Apache-2.0
 * A test that leaves processes behind: one in its group, one in a session of its own, both deaf to
 * SIGTERM. Their numbers and its own go to the file "pids"; "joined" is there once its threads are over.
 * What else it does depends on files that are there: "hang" waits for ever, deaf too; "flood" prints
 * 300 MB first; "greedy" takes memory until there is none. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;

static void *worker(void *unused)
{
    count++;
    return unused;
}

static void note(pid_t pid)
{
    FILE *f = fopen("pids", "a");
    fprintf(f, "%d\n", (int)pid);
    fclose(f);
}

static void child(int leave)
{
    pid_t pid = fork();
    if (pid != 0) {
        note(pid);
        return;
    }
    signal(SIGTERM, SIG_IGN);
    if (leave)
        setsid();
    for (;;)
        pause();
}

static void flood(void)
{
    if (system("head -c 307200000 /dev/zero") != 0)
        exit(4);
}

static int greedy(void)
{
    for (int i = 0; i < 16; i++) {
        char *block = malloc(64 << 20);
        if (!block)
            return 3;
        memset(block, 1, 4096);
    }
    return 0;
}

int main(void)
{
    pthread_t one, two;
    signal(SIGTERM, SIG_IGN);
    unlink("joined");
    note(getpid());
    child(0);
    child(1);
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    fclose(fopen("joined", "w"));
    if (access("flood", F_OK) == 0)
        flood();
    if (access("greedy", F_OK) == 0)
        return greedy();
    while (access("hang", F_OK) == 0)
        pause();
    return 0;
}
