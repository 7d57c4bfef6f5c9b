/* SPDX-License-Identifier: Apache-2.0
 * fork, vfork, posix_spawn and system inside a test, with other threads about. */
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long counter, in_child;
extern char **environ;

static void *adder(void *unused)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

/* The child has threads and locks of its own; none of it belongs to the test. */
static int child(void)
{
    pthread_t thread[2];
    pthread_mutex_init(&lock, NULL); /* the parent's other thread may have had it */
    counter = 0;
    for (long i = 0; i < 300000; i++)
        in_child += i;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, adder, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter == 20 ? 7 : 8;
}

static int status_of(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, adder, NULL);
    pid_t pid = fork();
    if (pid == 0)
        exit(child());
    int forked = status_of(pid);
    pid = fork();
    if (pid == 0)
        _exit(child());
    int left = status_of(pid);
    char *command[] = { "sh", "-c", "exit 5", NULL };
    pid_t spawned = 0;
    int spawns = posix_spawnp(&spawned, "sh", NULL, NULL, command, environ) == 0 ? status_of(spawned) : -1;
    pid = vfork();
    if (pid == 0)
        _exit(6);
    int vforked = status_of(pid);
    int systems = WEXITSTATUS(system("exit 4"));
    pthread_join(thread, NULL);
    return forked == 7 && left == 7 && spawns == 5 && vforked == 6 && systems == 4 && counter == 10 && !in_child ? 0 : 1;
}
