/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "conformance.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char room[64];
static struct iovec pieces[2] = { { room, 3 }, { room + 8, 4 } };
static struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };

/* A case of one call and its failure on a bad descriptor. */
#define CALLS(name, good, wrong)                                                                     \
    static void name##_calls(void)                                                                   \
    {                                                                                                \
        R(good);                                                                                     \
        R(wrong);                                                                                    \
    }
CALLS(read, read(fix.file, room, 4), read(fix.bad, room, 4))
CALLS(read_null, read(fix.file, NULL, 4), read(fix.file, NULL, 0))
CALLS(pread, pread(fix.file, room, 4, 2), pread(fix.file, room, 4, -1))
CALLS(pread64, pread64(fix.file, room, 4, 2), pread64(fix.readable, room, 4, 0))
CALLS(readv, readv(fix.file, pieces, 2), readv(fix.bad, pieces, 2))
CALLS(preadv, preadv(fix.file, pieces, 2, 1), preadv(fix.bad, pieces, 2, 1))
CALLS(recv, recv(fix.socket[0], room, 4, 0), recv(fix.file, room, 4, 0))
CALLS(recv_wait, recv(fix.socket[1], room, 4, MSG_DONTWAIT), recv(fix.bad, room, 4, 0))
CALLS(recvfrom, recvfrom(fix.socket[0], room, 4, 0, NULL, NULL), recvfrom(fix.bad, room, 4, 0, NULL, NULL))
CALLS(recvmsg, recvmsg(fix.socket[0], &message, 0), recvmsg(fix.bad, &message, 0))
CALLS(write, write(fix.file, "abc", 3), write(fix.bad, "abc", 3))
CALLS(write_null, write(fix.writable, NULL, 3), write(fix.readable, "abc", 3))
CALLS(pwrite, pwrite(fix.file, "abc", 3, 1), pwrite(fix.file, "abc", 3, -1))
CALLS(pwrite64, pwrite64(fix.file, "abc", 3, 1), pwrite64(fix.bad, "abc", 3, 1))
CALLS(writev, writev(fix.file, pieces, 2), writev(fix.file, pieces, -1))
CALLS(pwritev, pwritev(fix.file, pieces, 2, 1), pwritev(fix.bad, pieces, 2, 1))
CALLS(send, send(fix.socket[0], "abc", 3, 0), send(fix.file, "abc", 3, 0))
CALLS(sendto, sendto(fix.socket[0], "abc", 3, 0, NULL, 0), sendto(fix.bad, "abc", 3, 0, NULL, 0))
CALLS(sendmsg, sendmsg(fix.socket[0], &message, 0), sendmsg(fix.bad, &message, 0))
CALLS(open, close(open(fix.path, O_RDONLY)), open("no/such", O_RDONLY))
CALLS(open64, close(open64(fix.path, O_RDONLY)), open64("no/such", O_RDONLY))
CALLS(openat, close(openat(AT_FDCWD, fix.path, O_RDONLY)), openat(fix.bad, "relative", O_RDONLY))
CALLS(openat64, close(openat64(AT_FDCWD, fix.path, O_CREAT, 0600)), openat64(AT_FDCWD, "", O_RDONLY))
CALLS(close, close(dup(fix.file)), close(fix.bad))
CALLS(shutdown, shutdown(fix.socket[0], SHUT_WR), shutdown(fix.file, SHUT_WR))
CALLS(accept, accept(fix.bad, NULL, NULL), accept(fix.socket[0], NULL, NULL))
CALLS(accept4, accept4(fix.bad, NULL, NULL, 0), accept4(fix.listener, NULL, NULL, 0x12345))
CALLS(flock, flock(fix.file, LOCK_EX), flock(fix.bad, LOCK_EX))
CALLS(lockf, lockf(fix.file, F_LOCK, 1), lockf(fix.bad, F_LOCK, 1))
CALLS(fcntl, fcntl(fix.file, F_GETFL), fcntl(fix.bad, F_GETFL))
CALLS(fcntl_other, fcntl(fix.file, F_SETFD, FD_CLOEXEC), fcntl(fix.file, 9999))
CALLS(fgets, fgets(room, sizeof room, fix.stream) != NULL, strcmp(room, "hello world\n"))
CALLS(fread, fread(room, 2, 3, fix.stream), strncmp(room, "hello ", 6))
CALLS(fgetc, fgetc(fix.stream), getc(fix.stream))
CALLS(fwrite, fwrite("abc", 1, 3, fix.stream), fflush(fix.stream))
CALLS(fputs, fputs("abc", fix.stream), fflush(fix.stream))

static struct flock wish = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
CALLS(fcntl_lock, fcntl(fix.file, F_SETLK, &wish), fcntl(fix.file, F_GETLK, &wish))
CALLS(fcntl_wait, fcntl(fix.file, F_SETLKW, &wish), fcntl(fix.bad, F_SETLKW, &wish))

static void peer_calls(void)
{
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0);
    getsockname(fix.listener, (struct sockaddr *)&name, &length);
    R(connect(fd, (struct sockaddr *)&name, length));
    R(connect(fd, (struct sockaddr *)&name, length));
    R(connect(other, (struct sockaddr *)&name, 2));
    R(connect(fix.bad, (struct sockaddr *)&name, length));
    int got = accept(fix.listener, (struct sockaddr *)&name, &length);
    R(got >= 0);
    R(length);
    close(got);
    close(fd);
    close(other);
}

static struct timespec no_time;

static void poll_calls(void)
{
    struct pollfd one = { .fd = fix.readable, .events = POLLIN }, none = { .fd = fix.bad, .events = POLLIN };
    R(poll(&one, 1, 0));
    R(one.revents);
    R(poll(&one, 1, -1));
    R(poll(&none, 1, 0));
    R(poll(NULL, 1, 0));
    R(poll(NULL, 0, 1));
}

static void ppoll_calls(void)
{
    struct pollfd one = { .fd = fix.readable, .events = POLLIN };
    struct timespec wrong = { 0, -1 };
    R(ppoll(&one, 1, &no_time, NULL));
    R(ppoll(&one, 1, &wrong, NULL));
}

static void select_calls(void)
{
    fd_set set;
    struct timeval none = { 0, 0 }, wrong = { -1, 0 };
    FD_ZERO(&set);
    FD_SET(fix.readable, &set);
    R(select(fix.readable + 1, &set, NULL, NULL, &none));
    R(FD_ISSET(fix.readable, &set) != 0);
    R(select(-1, &set, NULL, NULL, &none));
    R(select(fix.readable + 1, &set, NULL, NULL, &wrong));
}

static void pselect_calls(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fix.readable, &set);
    R(pselect(fix.readable + 1, &set, NULL, NULL, &no_time, NULL));
    R(pselect(-1, &set, NULL, NULL, &no_time, NULL));
}

static int ready_epoll(void)
{
    int fd = epoll_create1(0);
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = 7 };
    epoll_ctl(fd, EPOLL_CTL_ADD, fix.readable, &event);
    return fd;
}

static void epoll_calls(void)
{
    struct epoll_event event;
    int fd = ready_epoll();
    R(epoll_wait(fd, &event, 1, 0));
    R(event.data.u32);
    R(epoll_wait(fd, &event, 0, 0));
    R(epoll_wait(fix.bad, &event, 1, 0));
    close(fd);
}

static void epoll_pwait_calls(void)
{
    struct epoll_event event;
    int fd = ready_epoll();
    R(epoll_pwait(fd, &event, 1, 0, NULL));
    R(epoll_pwait(fix.bad, &event, 1, 0, NULL));
    close(fd);
}

static pid_t child(int status)
{
    pid_t pid = fork();
    if (pid == 0)
        _Exit(status);
    return pid;
}

#define WAIT_CASE(name, call)                                                                        \
    static void name##_calls(void)                                                                   \
    {                                                                                                \
        int status = 0;                                                                              \
        struct rusage usage;                                                                         \
        siginfo_t info = { .si_pid = 0 };                                                            \
        pid_t pid = child(3);                                                                        \
        (void)usage, (void)info, (void)pid;                                                          \
        R((call) > 0);                                                                               \
        R(status);                                                                                   \
    }
WAIT_CASE(waitpid, waitpid(pid, &status, 0))
WAIT_CASE(wait4, wait4(pid, &status, 0, &usage))
WAIT_CASE(waitid, waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid && info.si_status == 3)
WAIT_CASE(waitid_null, waitid(P_PID, (id_t)pid, NULL, WEXITED) == 0)

/* Any child: those that a cancelled case before this one left behind, too. */
static void wait_any_calls(void)
{
    int status = 0;
    struct rusage usage;
    child(0);
    R(wait(&status) > 0);
    child(0);
    R(wait3(&status, 0, &usage) > 0);
    while (waitpid(-1, &status, WNOHANG) > 0)
        ;
    R(waitpid(-1, &status, 0));
    R(waitpid(-1, &status, 0x7777));
    R(waitid(P_ALL, 0, NULL, WEXITED));
    R(waitid(P_ALL, 0, NULL, 0));
}

static void reap(void *unused)
{
    (void)unused;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

#define REAPING(name)                                                                                \
    static void name##_reaped(void)                                                                  \
    {                                                                                                \
        pthread_cleanup_push(reap, NULL);                                                            \
        name##_calls();                                                                              \
        pthread_cleanup_pop(0);                                                                      \
    }
REAPING(waitpid)
REAPING(wait4)
REAPING(waitid)
REAPING(waitid_null)
REAPING(wait_any)

static void spawn_calls(void)
{
    char *argv[] = { "true", NULL }, *none[] = { NULL };
    pid_t pid = 0;
    int status = 9;
    R(posix_spawnp(&pid, "true", NULL, NULL, argv, none));
    waitpid(pid, &status, 0);
    R(status);
    R(posix_spawn(&pid, "/no/such", NULL, NULL, argv, none));
    R(execve("/no/such", argv, none));
    R(execve("/", argv, none));
}

static void status_calls(void)
{
    struct stat st;
    R(stat(fix.path, &st));
    R(st.st_size);
    R(stat("no/such", &st));
    R(lstat(fix.path, &st));
    R(lstat("", &st));
    R(fstat(fix.bad, &st));
    R(fstat(fix.file, &st));
    R(fstatat(AT_FDCWD, fix.path, &st, 0));
    R(fstatat(AT_FDCWD, fix.path, &st, 0x7fff0000));
}

static void pair_calls(void)
{
    int pair[2] = { 0, 0 };
    R(pipe(pair));
    close(pair[0]);
    close(pair[1]);
    R(pipe2(pair, O_CLOEXEC));
    R(fcntl(pair[0], F_GETFD));
    close(pair[0]);
    close(pair[1]);
    R(pipe2(pair, 0x7fffffff));
    R(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    close(pair[0]);
    close(pair[1]);
    R(socketpair(AF_UNIX, 999, 0, pair));
}

static void stream_calls(void)
{
    char *line = NULL;
    size_t size = 0;
    R(getline(&line, &size, fix.stream));
    R(getdelim(&line, &size, ' ', fix.stream));
    R(getline(NULL, &size, fix.stream));
    R(fread(room, 1, sizeof room, fix.stream));
    R(fgetc(fix.stream));
    R(feof(fix.stream));
    P(fgets(room, 1, fix.stream));
    R(fflush(fix.stream));
    R(ftrylockfile(fix.stream));
    flockfile(fix.stream);
    funlockfile(fix.stream);
    funlockfile(fix.stream);
    FILE *closed = fdopen(dup(fix.file), "r");
    R(fputs("x", closed));
    R(fclose(closed));
    R(puts(""));
    free(line);
}

int plain_fscanf(FILE *, const char *, ...) __asm__("fscanf");
int plain_scanf(const char *, ...) __asm__("scanf");
int plain_vscanf(const char *, va_list) __asm__("vscanf");
int plain_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");
ssize_t __read_chk(int, void *, size_t, size_t), __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
char *__fgets_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);

static int scan(int which, const char *pattern, ...)
{
    va_list ap;
    va_start(ap, pattern);
    int result = which == 0 ? vfscanf(fix.stream, pattern, ap) : which == 1 ? plain_vfscanf(fix.stream, pattern, ap)
                 : which == 2 ? vscanf(pattern, ap) : plain_vscanf(pattern, ap);
    va_end(ap);
    return result;
}

static void scan_calls(void)
{
    char word[16];
    int value = 0;
    R(fscanf(fix.stream, "%15s", word));
    R(plain_fscanf(fix.stream, " %15s", word));
    R(strcmp(word, "world"));
    R(scan(0, "%d", &value));
    R(scan(1, "%d", &value));
    R(value);
    R(scanf("%d", &value));
    R(plain_scanf("%d", &value));
    R(scan(2, "%d", &value));
    R(scan(3, "%d", &value));
    R(value);
    R(getchar());
}

static void checked_calls(void)
{
    struct pollfd one = { .fd = fix.readable, .events = POLLIN };
    R(__read_chk(fix.readable, room, 3, sizeof room));
    R(__pread_chk(fix.file, room, 3, 1, sizeof room));
    R(__recv_chk(fix.socket[0], room, 3, sizeof room, 0));
    R(__poll_chk(&one, 1, 0, sizeof one));
    P(__fgets_chk(room, sizeof room, 8, fix.stream));
    R(__fread_chk(room, sizeof room, 1, 4, fix.stream));
}

#define CASE(name) { #name, name##_calls }
const struct conformance_case files_cases[] = {
    CASE(read), CASE(read_null), CASE(pread), CASE(pread64), CASE(readv), CASE(preadv), CASE(recv), CASE(recv_wait),
    CASE(recvfrom), CASE(recvmsg), CASE(write), CASE(write_null), CASE(pwrite), CASE(pwrite64), CASE(writev),
    CASE(pwritev), CASE(send), CASE(sendto), CASE(sendmsg), CASE(open), CASE(open64), CASE(openat), CASE(openat64),
    CASE(close), CASE(shutdown), CASE(accept), CASE(accept4), CASE(flock), CASE(lockf), CASE(fcntl), CASE(fcntl_other),
    CASE(fcntl_lock), CASE(fcntl_wait), CASE(fgets), CASE(fread), CASE(fgetc), CASE(fwrite), CASE(fputs), CASE(peer),
    CASE(poll), CASE(ppoll), CASE(select), CASE(pselect), CASE(epoll), CASE(epoll_pwait),
    { "waitpid", waitpid_reaped }, { "wait4", wait4_reaped }, { "waitid", waitid_reaped },
    { "waitid_null", waitid_null_reaped }, { "wait", wait_any_reaped },
    CASE(spawn), CASE(status), CASE(pair), CASE(stream), CASE(scan), CASE(checked), { NULL, NULL },
};
