/* SPDX-License-Identifier: Apache-2.0
 * class: fork while locked
 * bug: the process forks while another thread may hold a lock that the child needs
 * expect: FAILING, the child finds the lock held by a thread it does not have */
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written;

static void *write_log(void *unused)
{
    pthread_mutex_lock(&lock);
    written++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *launch(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    pid_t child = fork();
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    if (child == 0)
        _exit(pthread_mutex_trylock(&lock) != 0);
    int status = 0;
    assert(waitpid(child, &status, 0) == child);
    assert(status == 0);
    return unused;
}

int main(void)
{
    run_two(write_log, launch);
}
