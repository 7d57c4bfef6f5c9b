/* SPDX-License-Identifier: Apache-2.0
 * read, write and their family: what they do to the user's memory, and the
 * baton is given up where they block. */
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/crossing.h"

#define PIPES 0x600000000000u /* where no memory is: a pipe has a number, not an address */
#define PIPES_MAX 1024        /* that are known at a time */

/* ---------------------------------------------------------------- one buffer */

#define FILL(name, parameters, arguments, flags)                                                     \
    HD_EXPORT ssize_t name parameters                                                                \
    {                                                                                                \
        struct hd_crossing c HD_CROSSING;                                                            \
        hd_cross(&c, #name, HD_CALLER);                                                              \
        void *user = to;                                                                             \
        if (c.t && hd_bounce_take(&c.bounce, (uintptr_t)user, size))                                 \
            to = c.bounce.at;                                                                        \
        struct hd_point link = through_pipe(&c, fd, HD_HB_AFTER);                                    \
        if (link.object)                                                                             \
            hd_sync_begin(c.t, &link);                                                               \
        leave_to_receive(&c, fd, flags, size);                                                       \
        ssize_t done = HD_REAL(name) arguments;                                                      \
        hd_return(&c);                                                                               \
        if (link.object)                                                                             \
            link_made(&c, &link);                                                                    \
        filled(&c, user, done, size, HD_CALLER);                                                     \
        return done;                                                                                 \
    }

/* In the order of first use, so the same in every run; needs the baton. The one used first makes room. */
static uint64_t pipe_number(uint64_t inode)
{
    static uint64_t known[PIPES_MAX], seen;
    for (uint64_t n = seen; n && n + PIPES_MAX > seen; n--)
        if (known[n % PIPES_MAX] == inode)
            return n;
    known[++seen % PIPES_MAX] = inode;
    return seen;
}

/* What is read from a pipe was written before: an event at each end, of an object that both ends share. The reader's
 * point is asked for before it blocks, so that a witness can leave it there. */
static struct hd_point through_pipe(const struct hd_crossing *c, int fd, uint32_t kind)
{
    struct hd_point point = { .kind = kind, .pc = c->pc };
    struct stat st;
    int saved = errno;
    if (c->t && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
        point.object = hd_object(PIPES + 64 * pipe_number(st.st_ino), HD_OBJECT_USER);
    errno = saved;
    return point;
}

static void link_made(const struct hd_crossing *c, const struct hd_point *link)
{
    int saved = errno;
    if (!c->t->released)
        hd_sync_made(c->t, link, 0);
    errno = saved;
}

/* Flags as of recv; a descriptor without has none. */
static void leave_to_receive(struct hd_crossing *c, int fd, int flags, size_t size)
{
    if (flags & MSG_WAITALL)
        hd_leave_for_all(c, fd, size);
    else if (!(flags & MSG_DONTWAIT))
        hd_leave_for(c, fd, POLLIN);
}

static void filled(struct hd_crossing *c, void *user, ssize_t done, size_t size, uint64_t pc)
{
    int saved = errno;
    if (c->t && c->bounce.at && done > 0)
        hd_user_store(c->t, user, c->bounce.at, (size_t)done < size ? (size_t)done : size, pc);
    hd_settle(c->t);
    errno = saved;
}

#define TAKE(name, parameters, arguments, flags)                                                     \
    HD_EXPORT ssize_t name parameters                                                                \
    {                                                                                                \
        struct hd_crossing c HD_CROSSING;                                                            \
        hd_cross(&c, #name, HD_CALLER);                                                              \
        if (c.t && hd_bounce_take(&c.bounce, (uintptr_t)from, size)) {                               \
            int saved = errno;                                                                       \
            hd_user_load(c.t, c.bounce.at, from, size, HD_CALLER);                                   \
            errno = saved;                                                                           \
            from = c.bounce.at;                                                                      \
        }                                                                                            \
        struct hd_point link = through_pipe(&c, fd, HD_HB_BEFORE);                                   \
        if (link.object) {                                                                           \
            hd_sync_begin(c.t, &link);                                                               \
            link_made(&c, &link);                                                                    \
        }                                                                                            \
        if (!((flags) & MSG_DONTWAIT))                                                               \
            hd_leave_to_write(&c, fd, size);                                                         \
        ssize_t done = HD_REAL(name) arguments;                                                      \
        hd_return(&c);                                                                               \
        hd_settle(c.t);                                                                              \
        return done;                                                                                 \
    }

ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
FILL(read, (int fd, void *to, size_t size), (fd, to, size), 0)
FILL(__read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room), 0)
FILL(pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), 0)
FILL(pread64, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), 0)
FILL(__pread_chk, (int fd, void *to, size_t size, off_t at, size_t room), (fd, to, size, at, room), 0)
FILL(recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), flags)
FILL(__recv_chk, (int fd, void *to, size_t size, size_t room, int flags), (fd, to, size, room, flags), flags)
TAKE(write, (int fd, const void *from, size_t size), (fd, from, size), 0)
TAKE(pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), 0)
TAKE(pwrite64, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), 0)
TAKE(send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags), flags)
TAKE(sendto, (int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t length),
     (fd, from, size, flags, to, length), flags)

/* The address of a peer is where the kernel has just written it. */
void hd_peer_named(struct hd_thread *t, struct sockaddr *name, socklen_t room, socklen_t *length, uint64_t pc)
{
    if (!t || !name || !length)
        return;
    hd_access_range(t, name, *length < room ? *length : room, HD_WRITE, pc);
    hd_access_range(t, length, sizeof *length, HD_WRITE, pc);
}

HD_EXPORT ssize_t recvfrom(int fd, void *to, size_t size, int flags, struct sockaddr *name, socklen_t *length)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "recvfrom", HD_CALLER);
    void *user = to;
    socklen_t room = length ? *length : 0;
    if (c.t && hd_bounce_take(&c.bounce, (uintptr_t)user, size))
        to = c.bounce.at;
    leave_to_receive(&c, fd, flags, size);
    ssize_t done = HD_REAL(recvfrom)(fd, to, size, flags, name, length);
    hd_return(&c);
    filled(&c, user, done, size, HD_CALLER);
    if (done >= 0)
        hd_peer_named(c.t, name, room, length, HD_CALLER);
    return done;
}

/* -------------------------------------------------------------- many buffers */

static size_t total(const struct iovec *v, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += v[i].iov_len;
    return sum;
}

static void scatter(struct hd_thread *t, const struct iovec *v, size_t count, const char *from, size_t size, uint64_t pc)
{
    for (size_t i = 0; i < count && size; i++) {
        size_t n = v[i].iov_len < size ? v[i].iov_len : size;
        hd_user_store(t, v[i].iov_base, from, n, pc);
        from += n;
        size -= n;
    }
}

static void gather(struct hd_thread *t, char *to, const struct iovec *v, size_t count, uint64_t pc)
{
    for (size_t i = 0; i < count; i++) {
        hd_user_load(t, to, v[i].iov_base, v[i].iov_len, pc);
        to += v[i].iov_len;
    }
}

/* One vector for the kernel, as long as all of the user's. */
static bool one_vector(struct hd_crossing *c, const struct iovec *v, size_t count, struct iovec *one)
{
    if (!c->t || count > IOV_MAX || !hd_user_mapped((uintptr_t)v, count * sizeof *v))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!hd_user_mapped((uintptr_t)v[i].iov_base, v[i].iov_len))
            return false;
    if (!hd_bounce_make(&c->bounce, total(v, count)))
        return false;
    *one = (struct iovec){ c->bounce.at, c->bounce.size };
    return true;
}

static void scattered(struct hd_crossing *c, const struct iovec *v, size_t count, ssize_t done, uint64_t pc)
{
    int saved = errno;
    if (c->bounce.at && done > 0)
        scatter(c->t, v, count, c->bounce.at, (size_t)done < c->bounce.size ? (size_t)done : c->bounce.size, pc);
    hd_settle(c->t);
    errno = saved;
}

#define FILL_VECTOR(name, parameters, bounced, direct)                                               \
    HD_EXPORT ssize_t name parameters                                                                \
    {                                                                                                \
        struct hd_crossing c HD_CROSSING;                                                            \
        hd_cross(&c, #name, HD_CALLER);                                                              \
        struct iovec one;                                                                            \
        bool own = one_vector(&c, v, (size_t)count, &one);                                           \
        hd_leave_for(&c, fd, POLLIN);                                                                \
        ssize_t done = own ? HD_REAL(name) bounced : HD_REAL(name) direct;                           \
        hd_return(&c);                                                                               \
        scattered(&c, v, (size_t)count, done, HD_CALLER);                                            \
        return done;                                                                                 \
    }
#define TAKE_VECTOR(name, parameters, bounced, direct)                                               \
    HD_EXPORT ssize_t name parameters                                                                \
    {                                                                                                \
        struct hd_crossing c HD_CROSSING;                                                            \
        hd_cross(&c, #name, HD_CALLER);                                                              \
        struct iovec one = { NULL, 0 };                                                              \
        bool own = one_vector(&c, v, (size_t)count, &one);                                           \
        if (own)                                                                                     \
            gather(c.t, c.bounce.at, v, (size_t)count, HD_CALLER);                                   \
        hd_leave_to_write(&c, fd, one.iov_len);                                                      \
        ssize_t done = own ? HD_REAL(name) bounced : HD_REAL(name) direct;                           \
        hd_return(&c);                                                                               \
        hd_settle(c.t);                                                                              \
        return done;                                                                                 \
    }
FILL_VECTOR(readv, (int fd, const struct iovec *v, int count), (fd, &one, 1), (fd, v, count))
FILL_VECTOR(preadv, (int fd, const struct iovec *v, int count, off_t at), (fd, &one, 1, at), (fd, v, count, at))
TAKE_VECTOR(writev, (int fd, const struct iovec *v, int count), (fd, &one, 1), (fd, v, count))
TAKE_VECTOR(pwritev, (int fd, const struct iovec *v, int count, off_t at), (fd, &one, 1, at), (fd, v, count, at))

HD_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "recvmsg", HD_CALLER);
    struct msghdr copy = *m;
    struct iovec one;
    if (one_vector(&c, m->msg_iov, m->msg_iovlen, &one)) {
        copy.msg_iov = &one;
        copy.msg_iovlen = 1;
    }
    leave_to_receive(&c, fd, flags, c.bounce.at ? c.bounce.size : 0);
    ssize_t done = HD_REAL(recvmsg)(fd, &copy, flags);
    hd_return(&c);
    scattered(&c, m->msg_iov, m->msg_iovlen, done, HD_CALLER);
    copy.msg_iov = m->msg_iov;
    copy.msg_iovlen = m->msg_iovlen;
    if (c.t && done >= 0) {
        hd_access_range(c.t, m->msg_name, m->msg_name ? copy.msg_namelen : 0, HD_WRITE, HD_CALLER);
        hd_access_range(c.t, m->msg_control, m->msg_control ? copy.msg_controllen : 0, HD_WRITE, HD_CALLER);
        hd_user_store(c.t, m, &copy, sizeof copy, HD_CALLER);
    } else
        *m = copy;
    return done;
}

HD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "sendmsg", HD_CALLER);
    struct msghdr copy = *m;
    struct iovec one = { NULL, 0 };
    if (one_vector(&c, m->msg_iov, m->msg_iovlen, &one)) {
        gather(c.t, c.bounce.at, m->msg_iov, m->msg_iovlen, HD_CALLER);
        copy.msg_iov = &one;
        copy.msg_iovlen = 1;
    }
    if (!(flags & MSG_DONTWAIT))
        hd_leave_to_write(&c, fd, one.iov_len);
    ssize_t done = HD_REAL(sendmsg)(fd, &copy, flags);
    hd_return(&c);
    hd_settle(c.t);
    return done;
}

/* To who closes whatever is open (a framework, before it runs a test), ours are not there. */
static bool is_ours(int fd)
{
    return hd_run.shared && (fd == hd_run.shared_fd || fd == hd_run.shared->bell_fd);
}

/* What closes an end makes the other one ready. */
HD_EXPORT int close(int fd)
{
    if (is_ours(fd)) {
        errno = EBADF;
        return -1;
    }
    int result = HD_REAL(close)(fd);
    hd_settle(hd_recorder());
    return result;
}

HD_EXPORT int shutdown(int fd, int how)
{
    int result = HD_REAL(shutdown)(fd, how);
    hd_settle(hd_recorder());
    return result;
}
