/* SPDX-License-Identifier: Apache-2.0
 * Calls that fill and take the user's memory, each with a target of its own, and
 * the errors they give. "ab" is 25185 as a value. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TARGET(name) char name[16] __attribute__((aligned(8)))

TARGET(text) = "ab";
TARGET(t_read);
TARGET(t_pread);
TARGET(t_readv1);
TARGET(t_readv2);
TARGET(t_recv);
TARGET(t_recvmsg);
TARGET(t_fgets);
TARGET(t_fread);
TARGET(w_write) = "cd";
TARGET(w_writev) = "ef";
TARGET(w_send) = "gh";
TARGET(w_fwrite) = "ij";
TARGET(w_fputs) = "kl";
static char large[100000], back[100000];
int t_scanned, t_pipe[2], t_pair[2];
struct stat t_stat;
struct pollfd t_poll;
struct epoll_event t_event;

static void files(void)
{
    FILE *f = fopen("file", "w+");
    fwrite(w_fwrite, 1, 2, f);
    fputs(w_fputs, f);
    fputs("\nrest", f);
    fflush(f);
    int fd = open("file", O_RDONLY);
    struct iovec v[2] = { { t_readv1, 1 }, { t_readv2, 2 } };
    ssize_t a = read(fd, t_read, 2), b = pread(fd, t_pread, 2, 2), c = readv(fd, v, 2);
    printf("%zd %s %zd %s %zd %s %s\n", a, t_read, b, t_pread, c, t_readv1, t_readv2);
    rewind(f);
    printf("%s", fgets(t_fgets, sizeof t_fgets, f));
    size_t n = fread(t_fread, 3, 2, f);
    printf("%zu %s %d\n", n, t_fread, feof(f));
    int known = fstat(fd, &t_stat);
    printf("%d %ld\n", known, (long)t_stat.st_size);
    fclose(f);
    close(fd);
}

static void descriptors(void)
{
    pipe(t_pipe);
    printf("%d\n", t_pipe[1] > t_pipe[0]);
    struct iovec v[2] = { { w_write, 2 }, { w_writev, 2 } };
    char got[5] = "";
    ssize_t n = writev(t_pipe[1], v, 2), m = read(t_pipe[0], got, 4);
    printf("%zd %zd %s\n", n, m, got);
    t_poll = (struct pollfd){ .fd = t_pipe[0], .events = POLLIN };
    int before = poll(&t_poll, 1, 0);
    n = write(t_pipe[1], w_write, 2);
    int after = poll(&t_poll, 1, -1);
    printf("%d %d %d\n", before, after, t_poll.revents == POLLIN);
    fd_set set;
    struct timeval now = { 0, 0 };
    FD_ZERO(&set);
    FD_SET(t_pipe[0], &set);
    printf("%d %d\n", select(t_pipe[0] + 1, &set, NULL, NULL, &now), FD_ISSET(t_pipe[0], &set));
    int e = epoll_create1(0);
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = 77 };
    epoll_ctl(e, EPOLL_CTL_ADD, t_pipe[0], &event);
    printf("%d %u\n", epoll_wait(e, &t_event, 1, -1), t_event.data.u32);
}

static void sockets(void)
{
    socketpair(AF_UNIX, SOCK_STREAM, 0, t_pair);
    ssize_t n = send(t_pair[0], w_send, 2, 0), m = recv(t_pair[1], t_recv, sizeof t_recv, 0);
    struct iovec v = { t_recvmsg, sizeof t_recvmsg };
    struct msghdr message = { .msg_iov = &v, .msg_iovlen = 1 };
    write(t_pair[0], text, 3);
    printf("%zd %zd %s %zd %s\n", n, m, t_recv, recvmsg(t_pair[1], &message, 0), t_recvmsg);
    memset(large, 'x', sizeof large);
    for (size_t sent = 0, got = 0; got < sizeof large;) {
        sent += (size_t)send(t_pair[0], large + sent, sizeof large - sent, MSG_DONTWAIT);
        got += (size_t)recv(t_pair[1], back + got, sizeof back - got, 0);
        if (sent == sizeof large && got < sent)
            continue;
        if (sent < sizeof large)
            break;
    }
    printf("%d\n", memcmp(large, back, sizeof large));
}

static void rarer(void)
{
    char *line = NULL, got[4] = "";
    size_t room = 0;
    struct timespec now = { 0, 0 };
    siginfo_t info;
    int status = 0;
    FILE *f = fopen("file", "r");
    printf("%zd", getdelim(&line, &room, 'r', f));
    printf(" %d %d\n", line[5], getc(f));
    free(line);
    fclose(f);
    struct pollfd one = { .fd = t_pipe[0], .events = POLLIN };
    printf("%d", ppoll(&one, 1, &now, NULL));
    fd_set set;
    FD_ZERO(&set);
    FD_SET(t_pipe[0], &set);
    printf(" %d\n", pselect(t_pipe[0] + 1, &set, NULL, NULL, &now, NULL));
    send(t_pair[0], text, 2, 0);
    printf("%zd", recvfrom(t_pair[1], got, 2, 0, NULL, NULL));
    printf(" %s\n", got);
    int fd = open("file", O_RDWR);
    struct iovec v[2] = { { got, 1 }, { got + 1, 1 } };
    printf("%zd", preadv(fd, v, 2, 2));
    printf(" %s %d %d %d\n", got, lockf(fd, F_LOCK, 0), flock(fd, LOCK_SH), fcntl(fd, F_GETFL) & O_ACCMODE);
    pid_t child;
    char *const argv[] = { "sh", "-c", "exit 4", NULL };
    posix_spawn(&child, "/bin/sh", NULL, NULL, argv, NULL);
    printf("%d", waitid(P_PID, (id_t)child, &info, WEXITED));
    printf(" %d\n", info.si_status);
    posix_spawn(&child, "/bin/sh", NULL, NULL, argv, NULL);
    printf("%d", wait(&status) == child);
    printf(" %d\n", WEXITSTATUS(status));
    close(fd);
}

static void failures(void)
{
    char c;
    int fd = open("file", O_RDONLY);
    errno = 0;
    ssize_t n = read(-1, &c, 1);
    printf("%zd %d\n", n, errno);
    n = read(fd, (void *)16, 1);
    printf("%zd %d\n", n, errno);
    n = write(t_pipe[1], (void *)16, 1);
    printf("%zd %d\n", n, errno);
    n = read(fd, NULL, 0);
    printf("%zd %d\n", n, errno);
    fcntl(t_pair[0], F_SETFL, O_NONBLOCK);
    n = recv(t_pair[0], &c, 1, 0);
    printf("%zd %d\n", n, errno);
    printf("%d %d\n", stat("/nothing", &t_stat), errno);
    printf("%d %d\n", waitpid(-1, NULL, 0), errno);
    printf("%d %d\n", open("/nothing", O_RDONLY), errno);
    errno = 0;
    n = strtol("99999999999999999999", NULL, 10);
    printf("%zd %d\n", n, errno);
    errno = 5;
    free(malloc(10));
    n = read(fd, &c, 1);
    printf("%zd %d\n", n, errno);
}

int main(void)
{
    files();
    descriptors();
    sockets();
    rarer();
    failures();
    char line[16];
    int scanned = scanf("%15s %d", line, &t_scanned);
    printf("%d %s %d\n", scanned, line, t_scanned);
    return 0;
}
