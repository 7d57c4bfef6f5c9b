/* SPDX-License-Identifier: Apache-2.0 */
#include "record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SWEEPS_MAX 100

/* ------------------------------------------------------------ the guardian */

static void ignore_endings(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
}

static void close_others(int kept)
{
    if (kept > 0)
        syscall(SYS_close_range, 0u, (unsigned)kept - 1, 0u);
    syscall(SYS_close_range, (unsigned)kept + 1, ~0u, 0u);
}

/* The group's number comes first; once more, it says that all is well. Neither: the parent was killed. */
__attribute__((noreturn)) static void guard(int lifeline)
{
    pid_t group = 0, done = 0;
    ignore_endings();
    close_others(lifeline);
    if (read(lifeline, &group, sizeof group) == sizeof group && read(lifeline, &done, sizeof done) == 0 && group > 0)
        kill(-group, SIGKILL);
    _exit(0);
}

static int start_guardian(struct hd_child *c)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    c->guardian = fork();
    if (c->guardian == 0)
        guard(ends[0]);
    close(ends[0]);
    if (c->guardian < 0) {
        close(ends[1]);
        return -1;
    }
    c->lifeline = ends[1];
    return 0;
}

static void tell_guardian(const struct hd_child *c)
{
    ssize_t told = c->lifeline < 0 ? 0 : send(c->lifeline, &c->pid, sizeof c->pid, MSG_NOSIGNAL);
    (void)told; /* a guardian that was killed can be told nothing */
}

static void dismiss_guardian(struct hd_child *c)
{
    if (c->lifeline < 0)
        return;
    tell_guardian(c);
    close(c->lifeline);
    c->lifeline = -1;
    while (waitpid(c->guardian, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* ------------------------------------------------------------ the child */

/* In a group that is not the terminal's, a read from it would stop the child for good. */
static void lead_group(void)
{
    setpgid(0, 0);
    signal(SIGTTIN, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
}

static void child_begin(bool own_group, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (own_group)
        lead_group();
}

int hd_child_start(struct hd_child *c, bool own_group, void (*run)(void *), void *data)
{
    pid_t parent = getpid();
    *c = (struct hd_child){ .pidfd = -1, .lifeline = -1, .own_group = own_group };
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    if (own_group && start_guardian(c) != 0)
        return -1;
    c->pid = fork();
    if (c->pid == 0) {
        child_begin(own_group, parent);
        run(data);
        _exit(127);
    }
    if (c->pid < 0) {
        int why = errno;
        dismiss_guardian(c);
        errno = why;
        return -1;
    }
    if (own_group)
        setpgid(c->pid, c->pid);
    tell_guardian(c);
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    return 0;
}

bool hd_child_has_ended(const struct hd_child *c)
{
    siginfo_t info = { .si_pid = 0 };
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == c->pid;
}

void hd_child_signal(const struct hd_child *c, int signal)
{
    kill(c->own_group ? -c->pid : c->pid, signal);
}

/* Kills and reaps the children this process has now; their own become its children then. */
static bool sweep(const struct hd_child *c)
{
    char path[64];
    bool any = false;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(path, "re");
    for (int pid; list && fscanf(list, "%d", &pid) == 1;) { /* NOLINT(cert-err34-c): the kernel's numbers */
        if (pid == c->guardian)
            continue;
        kill(pid, SIGKILL);
        any |= waitpid(pid, NULL, 0) == pid;
    }
    if (list)
        fclose(list);
    return any;
}

int hd_child_finish(struct hd_child *c, bool kill_it)
{
    siginfo_t info;
    int status = 0;
    if (kill_it)
        hd_child_signal(c, SIGKILL);
    while (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    if (c->own_group)
        kill(-c->pid, SIGKILL); /* not yet reaped: the number is still the group's */
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < SWEEPS_MAX && sweep(c); i++)
        ;
    dismiss_guardian(c);
    if (c->pidfd >= 0)
        close(c->pidfd);
    return status;
}
