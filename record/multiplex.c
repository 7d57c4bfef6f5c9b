/* SPDX-License-Identifier: Apache-2.0
 * Waiting for several descriptors at once. Asked first without waiting: only when
 * nothing is ready is the baton given up. The kernel sees copies, as everywhere. */
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include "record/crossing.h"

static const struct timespec at_once;

static bool is_limit(const struct timespec *t)
{
    return !t || (t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000);
}

/* Nothing to wait for but time: that is a sleep. */
static bool slept(struct hd_crossing *c, bool nothing, const struct timespec *limit)
{
    if (!c->t || !nothing || !limit || (limit->tv_sec == 0 && limit->tv_nsec == 0))
        return false;
    uint64_t nanoseconds = (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
    struct hd_deadline deadline = hd_deadline_after(nanoseconds);
    hd_sleep(&deadline, nanoseconds, c->pc);
    return true;
}

/* ---------------------------------------------------------------------- poll */

static void tell_polled(struct hd_crossing *c, struct pollfd *user, nfds_t count)
{
    const struct pollfd *copy = (const struct pollfd *)(const void *)c->bounce.at;
    for (nfds_t i = 0; i < count; i++)
        hd_user_store(c->t, &user[i].revents, &copy[i].revents, sizeof copy[i].revents, c->pc);
}

static bool copy_polled(struct hd_crossing *c, struct pollfd *user, nfds_t count)
{
    if (!c->t || count > 65536 || !hd_bounce_take(&c->bounce, (uintptr_t)user, count * sizeof *user))
        return false;
    hd_user_load(c->t, c->bounce.at, user, count * sizeof *user, c->pc);
    c->fds = (struct pollfd *)(void *)c->bounce.at;
    c->fd_count = count;
    return true;
}

static int polled(struct hd_crossing *c, struct pollfd *user, nfds_t count, int ready)
{
    int saved = errno;
    if (ready >= 0)
        tell_polled(c, user, count);
    errno = saved;
    return ready;
}

HD_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "ppoll", HD_CALLER);
    if (!is_limit(limit))
        return HD_REAL(ppoll)(fds, count, limit, mask);
    if (slept(&c, count == 0 && !mask, limit))
        return 0;
    if (!copy_polled(&c, fds, count))
        return HD_REAL(ppoll)(fds, count, limit, mask);
    int ready = HD_REAL(ppoll)(c.fds, count, &at_once, mask);
    if (ready == 0 && !(limit && limit->tv_sec == 0 && limit->tv_nsec == 0)) {
        hd_leave(&c);
        ready = HD_REAL(ppoll)(c.fds, count, limit, mask);
        hd_return(&c);
    }
    return polled(&c, fds, count, ready);
}

static int do_poll(struct pollfd *fds, nfds_t count, int milliseconds, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "poll", pc);
    struct timespec limit = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
    if (slept(&c, count == 0 && milliseconds > 0, &limit))
        return 0;
    if (!copy_polled(&c, fds, count))
        return HD_REAL(poll)(fds, count, milliseconds);
    int ready = HD_REAL(poll)(c.fds, count, 0);
    if (ready == 0 && milliseconds != 0) {
        hd_leave(&c);
        ready = HD_REAL(poll)(c.fds, count, milliseconds);
        hd_return(&c);
    }
    return polled(&c, fds, count, ready);
}

int __poll_chk(struct pollfd *, nfds_t, int, size_t);
void __chk_fail(void) __attribute__((noreturn));

HD_EXPORT int poll(struct pollfd *fds, nfds_t count, int limit) { return do_poll(fds, count, limit, HD_CALLER); }

HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int milliseconds, size_t room)
{
    if (room / sizeof *fds < count)
        __chk_fail();
    return do_poll(fds, count, milliseconds, HD_CALLER);
}

/* -------------------------------------------------------------------- select */

struct sets { fd_set *user[3]; fd_set copy[3]; size_t bytes; };

static fd_set *set_of(struct sets *s, int i) { return s->user[i] ? &s->copy[i] : NULL; }

static void load_sets(struct hd_thread *t, struct sets *s, int count, uint64_t pc)
{
    s->bytes = (size_t)(count + 63) / 64 * 8;
    for (int i = 0; i < 3; i++)
        if (s->user[i])
            hd_user_load(t, &s->copy[i], s->user[i], s->bytes, pc);
}

static void store_sets(struct hd_thread *t, struct sets *s, uint64_t pc)
{
    for (int i = 0; i < 3; i++)
        if (s->user[i])
            hd_user_store(t, s->user[i], &s->copy[i], s->bytes, pc);
}

/* What the sets ask for, in the words of poll, for whoever makes one of them ready. */
static void note_sets(struct hd_crossing *c, struct sets *s, int count)
{
    static const short events[3] = { POLLIN, POLLOUT, POLLPRI };
    struct pollfd *fds = (struct pollfd *)(void *)c->bounce.at;
    nfds_t n = 0;
    for (int fd = 0; fd < count; fd++) {
        struct pollfd one = { .fd = fd };
        for (int i = 0; i < 3; i++)
            if (s->user[i] && FD_ISSET(fd, &s->copy[i]))
                one.events |= events[i];
        if (one.events && n < sizeof c->bounce.small / sizeof *fds)
            fds[n++] = one;
    }
    c->fds = fds;
    c->fd_count = n;
}

static int select_now(struct sets *s, int count, const sigset_t *mask)
{
    struct sets asked = *s;
    int ready = HD_REAL(pselect)(count, set_of(s, 0), set_of(s, 1), set_of(s, 2), &at_once, mask);
    if (ready == 0)
        *s = asked;
    return ready;
}

static void selected(struct hd_crossing *c, struct sets *s, int ready)
{
    int saved = errno;
    if (ready == 0)
        memset(s->copy, 0, sizeof s->copy);
    if (ready >= 0)
        store_sets(c->t, s, c->pc);
    errno = saved;
}

static void leave_for_sets(struct hd_crossing *c, struct sets *s, int count)
{
    hd_bounce_make(&c->bounce, 0);
    note_sets(c, s, count);
    hd_leave(c);
}

HD_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *urgent, struct timeval *limit)
{
    struct hd_crossing c HD_CROSSING;
    struct sets s = { .user = { in, out, urgent } };
    hd_cross(&c, "select", HD_CALLER);
    struct timespec wish = at_once;
    if (limit)
        wish = (struct timespec){ limit->tv_sec + limit->tv_usec / 1000000, limit->tv_usec % 1000000 * 1000L };
    if (!c.t || count < 0 || count > FD_SETSIZE || !is_limit(&wish))
        return HD_REAL(select)(count, in, out, urgent, limit);
    if (limit && slept(&c, count == 0 || (!in && !out && !urgent), &wish)) {
        struct timeval none = { 0, 0 };
        hd_user_store(c.t, limit, &none, sizeof none, c.pc);
        return 0;
    }
    load_sets(c.t, &s, count, c.pc);
    int ready = select_now(&s, count, NULL);
    if (ready == 0 && !(limit && limit->tv_sec == 0 && limit->tv_usec == 0)) {
        struct timeval left = limit ? *limit : (struct timeval){ 0 };
        leave_for_sets(&c, &s, count);
        ready = HD_REAL(select)(count, set_of(&s, 0), set_of(&s, 1), set_of(&s, 2), limit ? &left : NULL);
        hd_return(&c);
        if (limit)
            hd_user_store(c.t, limit, &left, sizeof left, c.pc);
    }
    selected(&c, &s, ready);
    return ready;
}

HD_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *urgent, const struct timespec *limit, const sigset_t *mask)
{
    struct hd_crossing c HD_CROSSING;
    struct sets s = { .user = { in, out, urgent } };
    hd_cross(&c, "pselect", HD_CALLER);
    if (!c.t || count < 0 || count > FD_SETSIZE || !is_limit(limit))
        return HD_REAL(pselect)(count, in, out, urgent, limit, mask);
    if (slept(&c, (count == 0 || (!in && !out && !urgent)) && !mask, limit))
        return 0;
    load_sets(c.t, &s, count, c.pc);
    int ready = select_now(&s, count, mask);
    if (ready == 0 && !(limit && limit->tv_sec == 0 && limit->tv_nsec == 0)) {
        leave_for_sets(&c, &s, count);
        ready = HD_REAL(pselect)(count, set_of(&s, 0), set_of(&s, 1), set_of(&s, 2), limit, mask);
        hd_return(&c);
    }
    selected(&c, &s, ready);
    return ready;
}

/* --------------------------------------------------------------------- epoll */

static int do_epoll(int fd, struct epoll_event *events, int room, int milliseconds, const sigset_t *mask, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "epoll_wait", pc);
    size_t bytes = room > 0 ? (size_t)room * sizeof *events : 0;
    if (!c.t || !hd_bounce_take(&c.bounce, (uintptr_t)events, bytes))
        return HD_REAL(epoll_pwait)(fd, events, room, milliseconds, mask);
    struct epoll_event *copy = (struct epoll_event *)(void *)c.bounce.at;
    int ready = HD_REAL(epoll_pwait)(fd, copy, room, 0, mask);
    if (ready == 0 && milliseconds != 0) {
        hd_leave_for(&c, fd, POLLIN);
        ready = HD_REAL(epoll_pwait)(fd, copy, room, milliseconds, mask);
        hd_return(&c);
    }
    int saved = errno;
    if (ready > 0)
        hd_user_store(c.t, events, copy, (size_t)ready * sizeof *events, c.pc);
    errno = saved;
    return ready;
}

HD_EXPORT int epoll_wait(int fd, struct epoll_event *events, int room, int milliseconds)
{
    return do_epoll(fd, events, room, milliseconds, NULL, HD_CALLER);
}

HD_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int room, int milliseconds, const sigset_t *mask)
{
    return do_epoll(fd, events, room, milliseconds, mask, HD_CALLER);
}
