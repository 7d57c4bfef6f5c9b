/* SPDX-License-Identifier: Apache-2.0
 * A test that looks at what every call gives back: exit 0, or 3 where one failed. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total, failed;
static int visits; /* not guarded, and nobody minds: something to be replayed */

static void add(int *block)
{
    pthread_mutex_lock(&mutex);
    total += *block;
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *arg)
{
    visits++;
    for (int i = 0; i < ROUNDS; i++) {
        int *block = malloc(sizeof *block);
        if (!block)
            return arg;
        *block = 1;
        add(block);
        int *more = realloc(block, 1000 * sizeof *more);
        if (!more) {
            free(block);
            return arg;
        }
        free(more);
    }
    return NULL;
}

static int map_pages(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 1;
    memset(pages, 1, 8192);
    return munmap(pages, 8192) != 0;
}

static int write_some(void)
{
    static char text[5000]; /* more than libheddle has at hand */
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return 1;
    int short_of = write(fd, text, sizeof text) != sizeof text;
    return close(fd) != 0 || short_of;
}

static int have_a_child(void)
{
    int status;
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0)
        _exit(0);
    return waitpid(child, &status, 0) != child || status != 0;
}

int main(void)
{
    pthread_t thread[2];
    void *result;
    int started = 0;
    while (started < 2 && pthread_create(&thread[started], NULL, worker, &failed) == 0)
        started++;
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], &result);
        failed |= result != NULL;
    }
    failed |= started < 2 || map_pages() || write_some() || have_a_child();
    return failed ? 3 : total != 2 * ROUNDS;
}
