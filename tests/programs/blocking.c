/* SPDX-License-Identifier: Apache-2.0
 * A thread blocks in each kind of call until the other one does what it waits for. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int started[2], data[2];
static FILE *stream;
static int listener, held, wanted, result, cleanup;
static pid_t child;
static char line[16], *block;
static size_t room;
static volatile sig_atomic_t handled;

static void say_started(void)
{
    if (write(started[1], "s", 1) != 1)
        abort();
}

static void wait_started(void)
{
    char c;
    if (read(started[0], &c, 1) != 1)
        abort();
}

static void put(const char *text)
{
    if (write(data[1], text, strlen(text)) < 0)
        abort();
}

/* ---------------------------------------------------------------- the waiters */

static int in_poll(void)
{
    struct pollfd one = { .fd = data[0], .events = POLLIN };
    return poll(&one, 1, -1) == 1 && one.revents == POLLIN;
}

static int in_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(data[0], &set);
    return select(data[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(data[0], &set);
}

static int in_epoll(void)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = 77 }, got;
    int e = epoll_create1(0);
    epoll_ctl(e, EPOLL_CTL_ADD, data[0], &event);
    return epoll_wait(e, &got, 1, -1) == 1 && got.data.u32 == 77;
}

static int in_fgets(void) { return fgets(line, sizeof line, stream) == line && strcmp(line, "text\n") == 0; }
static int in_getline(void) { return getline(&block, &room, stream) == 5 && strcmp(block, "text\n") == 0; }
static int in_fread(void) { return fread(line, 1, 5, stream) == 5 && memcmp(line, "text\n", 5) == 0; }
static int in_getc(void) { return getc(stream) == 't'; }
static int in_accept(void) { return accept(listener, NULL, NULL) >= 0; }
static int in_flock(void) { return flock(wanted, LOCK_EX) == 0; }

static int in_fcntl(void)
{
    struct flock lock = { .l_type = F_WRLCK };
    return fcntl(wanted, F_OFD_SETLKW, &lock) == 0;
}

static int in_fifo(void) { return open("fifo", O_RDONLY) >= 0; }

static int in_waitpid(void)
{
    int status = 0;
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
}

static int in_sigwait(void)
{
    sigset_t set;
    int got = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return sigwait(&set, &got) == 0 && got == SIGUSR2;
}

static int in_pause(void) { return pause() == -1 && errno == EINTR && handled; }

static int in_read_interrupted(void)
{
    char c;
    return read(data[0], &c, 1) == -1 && errno == EINTR && handled;
}

static void cleaned(void *p) { *(int *)p = 1; }

static int in_read_cancelled(void)
{
    char c;
    pthread_cleanup_push(cleaned, &cleanup);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    result = (int)read(data[0], &c, 1);
    pthread_cleanup_pop(0);
    return 0;
}

/* ----------------------------------------------------------------- the others */

static pthread_t waiter;

static void by_text(void) { put("text\n"); }
static void by_unlock(void) { flock(held, LOCK_UN); }

static void by_connect(void)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&name, sizeof name))
        abort();
}

static void by_open(void)
{
    if (open("fifo", O_WRONLY) < 0)
        abort();
}

static void by_signal(void) { pthread_kill(waiter, SIGUSR2); }
static void by_cancel(void) { pthread_cancel(waiter); }
static void handler(int signal) { handled = signal; }

static void by_handled_signal(void)
{
    for (int i = 0; i < 20; i++) { /* at first the waiter may not yet be in its call */
        pthread_kill(waiter, SIGUSR1);
        usleep(1000);
    }
}

static void by_close(void)
{
    struct flock lock = { .l_type = F_UNLCK };
    fcntl(held, F_OFD_SETLK, &lock);
}

static const struct { const char *name; int (*wait)(void); void (*release)(void); } test[] = {
    { "poll", in_poll, by_text },       { "select", in_select, by_text },
    { "epoll", in_epoll, by_text },     { "fgets", in_fgets, by_text },
    { "getline", in_getline, by_text }, { "fread", in_fread, by_text },
    { "getc", in_getc, by_text },       { "accept", in_accept, by_connect },
    { "flock", in_flock, by_unlock },   { "fcntl", in_fcntl, by_close },
    { "fifo", in_fifo, by_open },       { "waitpid", in_waitpid, by_text },
    { "sigwait", in_sigwait, by_signal },
    { "pause", in_pause, by_handled_signal },
    { "interrupted", in_read_interrupted, by_handled_signal },
    { "cancelled", in_read_cancelled, by_cancel },
};

static void *run(void *p)
{
    long i = (long)p;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    say_started();
    result = test[i].wait();
    return NULL;
}

static void prepare(void)
{
    sigset_t set;
    struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
    struct sigaction action = { .sa_handler = handler };
    struct flock lock = { .l_type = F_WRLCK };
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGUSR1, &action, NULL);
    unlink("socket");
    unlink("fifo");
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    held = open("lock", O_CREAT | O_RDWR, 0600);
    wanted = open("lock", O_RDWR);
    if (pipe(started) || pipe(data) || bind(listener, (struct sockaddr *)&name, sizeof name) || listen(listener, 1) ||
        mkfifo("fifo", 0600) || flock(held, LOCK_EX) || fcntl(held, F_OFD_SETLK, &lock))
        abort();
    stream = fdopen(data[0], "r");
}

static void start_child(void)
{
    char *const argv[] = { "sh", "-c", "read line; exit 7", NULL };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, data[0], 0);
    if (posix_spawn(&child, "/bin/sh", &actions, NULL, argv, NULL))
        abort();
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    prepare();
    for (size_t i = 0; i < sizeof test / sizeof *test; i++) {
        if (strcmp(test[i].name, argv[1]) != 0)
            continue;
        if (test[i].wait == in_waitpid)
            start_child();
        pthread_create(&waiter, NULL, run, (void *)i);
        wait_started();
        test[i].release();
        pthread_join(waiter, NULL);
        printf("%s %s\n", argv[1], cleanup ? "cancelled" : result ? "ok" : "failed");
        return 0;
    }
    return 2;
}
