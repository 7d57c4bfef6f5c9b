/* SPDX-License-Identifier: Apache-2.0 */
#include "record/crossing.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

static struct hd_crossing *away[HD_THREADS_MAX];

void hd_leave(struct hd_crossing *c)
{
    if (!c->t || c->away)
        return;
    int saved = errno;
    c->away = true;
    away[c->t->id] = c;
    hd_access_mark(c->t, HD_WENT_OUTSIDE, 0, 0, c->pc);
    hd_ring_text(c->t, HD_RING_NOTE, 0, 0, "", c->name);
    hd_self = NULL; /* a signal handler that runs from here on has no baton, so it records nothing */
    hd_outside_begin(c->t);
    errno = saved;
}

void hd_return(struct hd_crossing *c)
{
    if (!c->t || !c->away)
        return;
    int saved = errno;
    hd_outside_end(c->t);
    hd_self = c->t;
    away[c->t->id] = NULL;
    c->away = false;
    errno = saved;
}

void hd_crossing_over(struct hd_crossing *c)
{
    hd_return(c);
    if (c->inside)
        c->t->inside = 0;
    hd_bounce_drop(&c->bounce);
}

bool hd_away_for_signal(const struct hd_thread *t, int number)
{
    const struct hd_crossing *c = t->id < HD_THREADS_MAX ? away[t->id] : NULL;
    return c && c->signals && __atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == HD_OUTSIDE &&
           sigismember(c->signals, number) == 1;
}

static bool is_ready(int fd, short events)
{
    struct pollfd one = { .fd = fd, .events = events };
    return poll(&one, 1, 0) != 0;
}

static bool blocks(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

static void leave_for(struct hd_crossing *c, int fd, short events)
{
    c->one = (struct pollfd){ .fd = fd, .events = events };
    c->fds = &c->one;
    c->fd_count = 1;
    hd_leave(c);
}

void hd_leave_for(struct hd_crossing *c, int fd, short events)
{
    int saved = errno;
    if (c->t && !is_ready(fd, events) && blocks(fd))
        leave_for(c, fd, events);
    errno = saved;
}

void hd_leave_for_all(struct hd_crossing *c, int fd, size_t size)
{
    int saved = errno, unread;
    if (c->t && (ioctl(fd, FIONREAD, &unread) != 0 || (size_t)unread < size) && blocks(fd))
        hd_leave(c);
    errno = saved;
}

/* Writable says no more than that PIPE_BUF bytes fit; beyond that, an empty pipe or socket takes what it holds. */
static bool has_room(int fd, size_t size)
{
    struct stat st;
    int unread, room;
    socklen_t length = sizeof room;
    if (size <= PIPE_BUF || fstat(fd, &st) != 0)
        return true;
    if (S_ISFIFO(st.st_mode))
        return ioctl(fd, FIONREAD, &unread) == 0 && unread == 0 && (room = fcntl(fd, F_GETPIPE_SZ)) > 0 &&
               size <= (size_t)room;
    if (S_ISSOCK(st.st_mode))
        return ioctl(fd, SIOCOUTQ, &unread) == 0 && unread == 0 &&
               getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, &length) == 0 && size <= (size_t)room / 4;
    return !S_ISCHR(st.st_mode);
}

void hd_leave_to_write(struct hd_crossing *c, int fd, size_t size)
{
    int saved = errno;
    if (c->t && (!is_ready(fd, POLLOUT) || !has_room(fd, size)) && blocks(fd))
        leave_for(c, fd, POLLOUT);
    errno = saved;
}

/* ------------------------------------------------------------------- settling */

#define SETTLE_TRIES 2000 /* about a second: a call that is not satisfied by being ready must not hold all others up */

static bool is_due(const struct hd_crossing *c)
{
    struct pollfd copy[64];
    if (!c || !c->fds || c->fd_count > 64 || __atomic_load_n(&c->t->state, __ATOMIC_ACQUIRE) != HD_OUTSIDE)
        return false;
    for (nfds_t i = 0; i < c->fd_count; i++)
        copy[i] = c->fds[i];
    return poll(copy, c->fd_count, 0) > 0;
}

void hd_settle(struct hd_thread *t)
{
    if (!t)
        return;
    int saved = errno;
    for (uint32_t i = 0; i < hd_run.threads && i < HD_THREADS_MAX; i++)
        for (int tries = 0; tries < SETTLE_TRIES && is_due(away[i]); tries++) {
            struct timespec pause = { 0, tries < 20 ? 0 : 500000 };
            syscall(SYS_nanosleep, &pause, NULL);
        }
    errno = saved;
}
