/* SPDX-License-Identifier: Apache-2.0
 * fork. The child of a test is another program: it is not recorded, never touches the
 * ring, and its one thread runs free. The parent goes on; the trace says where.
 * The child of a framework, made between its tests, is followed: the next test
 * may be in there (process.h).
 * vfork, posix_spawn, system and popen pass: what they start is no copy of the test. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/runtime.h"

/* The lock is held across a fork: the watchdog's, it would stay taken in the child for ever. */
static void in_the_child(void)
{
    hd_unlock();
    hd_self = NULL;
    hd_run.followed = hd_run.framework && !hd_run.recording;
    if (hd_run.followed)
        return;
    hd_run.recording = false;
    hd_run.shared = NULL;
}

__attribute__((constructor(102))) static void watch_fork(void)
{
    if (hd_run.shared)
        pthread_atfork(hd_lock, hd_unlock, in_the_child);
}

static bool is_this_program(const char *path)
{
    struct stat self, other;
    return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/exe", &self, 0) == 0 &&
           syscall(SYS_newfstatat, AT_FDCWD, path, &other, 0) == 0 && self.st_dev == other.st_dev &&
           self.st_ino == other.st_ino;
}

/* A framework's child that becomes the program again is still followed. */
HD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    size_t count = 0;
    while (envp && envp[count])
        count++;
    if (!hd_run.followed || !hd_run.shared || !is_this_program(path))
        return (int)syscall(SYS_execve, path, argv, envp);
    char where[32], *variables[count + 2];
    snprintf(where, sizeof where, "HEDDLE_FD=%d", hd_run.shared_fd);
    if (count)
        memcpy(variables, envp, count * sizeof *variables);
    variables[count] = where;
    variables[count + 1] = NULL;
    fcntl(hd_run.shared_fd, F_SETFD, 0);
    fcntl(hd_run.shared->bell_fd, F_SETFD, 0);
    return (int)syscall(SYS_execve, path, argv, variables);
}

HD_EXPORT pid_t fork(void)
{
    static pid_t (*real)(void);
    if (!real)
        real = (pid_t(*)(void))hd_real("fork");
    struct hd_thread *self = hd_recorder();
    struct hd_point point = { .kind = HD_FORK, .pc = HD_CALLER };
    if (self) {
        hd_sync_begin(self, &point);
        hd_sync_made(self, &point, 0);
    }
    return real();
}
