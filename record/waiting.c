/* SPDX-License-Identifier: Apache-2.0
 * Calls that wait for another process, a signal, a peer or a file lock. Each is
 * first made in its form that returns at once; where there is none the baton is
 * always given up. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/crossing.h"
#include "record/process.h"

/* ----------------------------------------------------------------- processes */

/* A child that ends at once has ended before the call, however fast it was: true while that may still be. */
#define GRACE_TRIES 60 /* some twenty milliseconds */

static bool grace(int options, int *tries)
{
    struct timespec pause = { 0, *tries < 20 ? 0 : 500000 };
    if ((options & WNOHANG) || ++*tries > GRACE_TRIES)
        return false;
    syscall(SYS_nanosleep, &pause, NULL);
    return true;
}

static pid_t wait_for(pid_t pid, int *status, int options, struct rusage *usage, const char *name, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, name, pc);
    if (!c.t) {
        int seen = 0;
        pid_t got = HD_REAL(wait4)(pid, &seen, options, usage);
        if (got > 0 && status)
            *status = seen;
        if (got > 0)
            hd_process_reaped(got, seen);
        return got;
    }
    int seen = 0, saved = errno, tries = 0;
    struct rusage used;
    pid_t got;
    do
        got = HD_REAL(wait4)(pid, &seen, options | WNOHANG, &used);
    while (got == 0 && grace(options, &tries));
    if (got == 0 && !(options & WNOHANG)) {
        hd_leave(&c);
        got = HD_REAL(wait4)(pid, &seen, options, &used);
        hd_return(&c);
    }
    saved = got < 0 ? errno : saved;
    if (got > 0 && status)
        hd_user_store(c.t, status, &seen, sizeof seen, pc);
    if (got > 0 && usage)
        hd_user_store(c.t, usage, &used, sizeof used, pc);
    errno = saved;
    return got;
}

HD_EXPORT pid_t wait(int *status) { return wait_for(-1, status, 0, NULL, "wait", HD_CALLER); }

HD_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    return wait_for(pid, status, options, NULL, "waitpid", HD_CALLER);
}

HD_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait_for(-1, status, options, usage, "wait3", HD_CALLER);
}

HD_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    return wait_for(pid, status, options, usage, "wait4", HD_CALLER);
}

HD_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "waitid", HD_CALLER);
    siginfo_t seen = { .si_pid = 0 };
    if (!c.t || !info) {
        int result = HD_REAL(waitid)(type, id, info ? info : &seen, options);
        const siginfo_t *i = info ? info : &seen;
        if (result == 0 && i->si_pid && i->si_code == CLD_EXITED)
            hd_process_reaped(i->si_pid, W_EXITCODE(i->si_status, 0));
        else if (result == 0 && i->si_pid && (i->si_code == CLD_KILLED || i->si_code == CLD_DUMPED))
            hd_process_reaped(i->si_pid, W_EXITCODE(0, i->si_status));
        return result;
    }
    int result, tries = 0;
    do
        result = HD_REAL(waitid)(type, id, &seen, options | WNOHANG);
    while (result == 0 && seen.si_pid == 0 && grace(options, &tries));
    if (result == 0 && seen.si_pid == 0 && !(options & WNOHANG)) {
        hd_leave(&c);
        result = HD_REAL(waitid)(type, id, &seen, options);
        hd_return(&c);
    }
    if (result == 0)
        hd_user_store(c.t, info, &seen, sizeof seen, c.pc);
    return result;
}

/* ------------------------------------------------------------------- signals */

#define ALWAYS_AWAY(name, parameters, arguments)                                                     \
    HD_EXPORT int name parameters                                                                    \
    {                                                                                                \
        struct hd_crossing c HD_CROSSING;                                                            \
        hd_cross(&c, #name, HD_CALLER);                                                              \
        c.signals = hd_signals_with_handler();                                                       \
        hd_leave(&c);                                                                                \
        int result = HD_REAL(name) arguments;                                                        \
        hd_return(&c);                                                                               \
        return result;                                                                               \
    }
ALWAYS_AWAY(pause, (void), ())
ALWAYS_AWAY(sigsuspend, (const sigset_t *mask), (mask))

static int wait_signal(const sigset_t *set, siginfo_t *info, const struct timespec *limit, const char *name, uint64_t pc)
{
    static const struct timespec at_once;
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, name, pc);
    if (!c.t)
        return HD_REAL(sigtimedwait)(set, info, limit);
    siginfo_t seen;
    int saved = errno, got = HD_REAL(sigtimedwait)(set, &seen, &at_once);
    if (got < 0 && errno == EAGAIN && !(limit && limit->tv_sec == 0 && limit->tv_nsec == 0)) {
        c.signals = set;
        hd_leave(&c);
        got = HD_REAL(sigtimedwait)(set, &seen, limit);
        hd_return(&c);
    }
    saved = got < 0 ? errno : saved;
    if (got > 0 && info)
        hd_user_store(c.t, info, &seen, sizeof seen, pc);
    errno = saved;
    return got;
}

HD_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    return wait_signal(set, info, limit, "sigtimedwait", HD_CALLER);
}

HD_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return wait_signal(set, info, NULL, "sigwaitinfo", HD_CALLER);
}

HD_EXPORT int sigwait(const sigset_t *set, int *signal)
{
    struct hd_thread *t = hd_recorder();
    if (!t)
        return HD_REAL(sigwait)(set, signal);
    int saved = errno, got;
    while ((got = wait_signal(set, NULL, NULL, "sigwait", HD_CALLER)) < 0 && errno == EINTR)
        ;
    int error = got < 0 ? errno : 0;
    if (got > 0)
        hd_user_store(t, signal, &got, sizeof got, HD_CALLER);
    errno = saved;
    return error;
}

/* --------------------------------------------------------------------- peers */

#define ACCEPT(function, parameters, arguments)                                                      \
    HD_EXPORT int function parameters                                                                \
    {                                                                                                \
        struct hd_crossing c HD_CROSSING;                                                            \
        hd_cross(&c, #function, HD_CALLER);                                                          \
        socklen_t room = name && length ? *length : 0;                                               \
        hd_leave_for(&c, fd, POLLIN);                                                                \
        int got = HD_REAL(function) arguments;                                                       \
        hd_return(&c);                                                                               \
        if (got >= 0)                                                                                \
            hd_peer_named(c.t, name, room, length, c.pc);                                            \
        hd_settle(c.t);                                                                              \
        return got;                                                                                  \
    }
ACCEPT(accept, (int fd, struct sockaddr *name, socklen_t *length), (fd, name, length))
ACCEPT(accept4, (int fd, struct sockaddr *name, socklen_t *length, int flags), (fd, name, length, flags))

/* On this machine the kernel answers at once; elsewhere it takes its time. */
static bool is_here(const struct sockaddr *name, socklen_t length)
{
    if (length >= sizeof(struct sockaddr_in) && name->sa_family == AF_INET)
        return (ntohl(((const struct sockaddr_in *)(const void *)name)->sin_addr.s_addr) >> 24) == 127;
    if (length >= sizeof(struct sockaddr_in6) && name->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)name)->sin6_addr);
    return true;
}

HD_EXPORT int connect(int fd, const struct sockaddr *name, socklen_t length)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "connect", HD_CALLER);
    if (c.t && hd_user_mapped((uintptr_t)name, length) && !is_here(name, length))
        hd_leave(&c);
    int result = HD_REAL(connect)(fd, name, length);
    hd_return(&c);
    hd_settle(c.t);
    return result;
}

/* --------------------------------------------------------------------- files */

static bool waits_for_peer(int folder, const char *path, int flags)
{
    struct stat st;
    int saved = errno;
    bool waits = !(flags & O_NONBLOCK) && (flags & O_ACCMODE) != O_RDWR && !(flags & O_PATH) &&
                 HD_REAL(fstatat)(folder, path, &st, 0) == 0 && S_ISFIFO(st.st_mode);
    errno = saved;
    return waits;
}

static bool needs_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

static int do_open(int folder, const char *path, int flags, mode_t mode, const char *name, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, name, pc);
    if (c.t && waits_for_peer(folder, path, flags))
        hd_leave(&c);
    int fd = HD_REAL(openat)(folder, path, flags, mode);
    hd_return(&c);
    return fd;
}

#define OPEN(name, folder, ...)                                                                      \
    HD_EXPORT int name(__VA_ARGS__ const char *path, int flags, ...)                                 \
    {                                                                                                \
        mode_t mode = 0;                                                                             \
        if (needs_mode(flags)) {                                                                     \
            va_list ap;                                                                              \
            va_start(ap, flags);                                                                     \
            mode = va_arg(ap, mode_t);                                                               \
            va_end(ap);                                                                              \
        }                                                                                            \
        return do_open(folder, path, flags, mode, #name, HD_CALLER);                                 \
    }
#define AT int folder,
OPEN(open, AT_FDCWD)
OPEN(open64, AT_FDCWD)
OPEN(openat, folder, AT)
OPEN(openat64, folder, AT)

HD_EXPORT int flock(int fd, int operation)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "flock", HD_CALLER);
    int saved = errno;
    if (!c.t || (operation & (LOCK_NB | LOCK_UN)))
        return HD_REAL(flock)(fd, operation);
    int result = HD_REAL(flock)(fd, operation | LOCK_NB);
    if (result < 0 && errno == EWOULDBLOCK) {
        errno = saved;
        hd_leave(&c);
        result = HD_REAL(flock)(fd, operation);
        hd_return(&c);
    }
    return result;
}

HD_EXPORT int lockf(int fd, int command, off_t size)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "lockf", HD_CALLER);
    int saved = errno;
    if (!c.t || command != F_LOCK)
        return HD_REAL(lockf)(fd, command, size);
    pthread_testcancel(); /* the form that returns at once is no cancellation point */
    int result = HD_REAL(lockf)(fd, F_TLOCK, size);
    if (result < 0 && (errno == EAGAIN || errno == EACCES)) {
        errno = saved;
        hd_leave(&c);
        result = HD_REAL(lockf)(fd, command, size);
        hd_return(&c);
    }
    return result;
}

static int at_once(int command)
{
    return command == F_SETLKW ? F_SETLK : command == F_OFD_SETLKW ? F_OFD_SETLK : -1;
}

static int do_fcntl(int fd, int command, void *argument, uint64_t pc)
{
    struct hd_crossing c HD_CROSSING;
    hd_cross(&c, "fcntl", pc);
    int saved = errno;
    if (!c.t || at_once(command) < 0)
        return HD_REAL(fcntl)(fd, command, argument);
    pthread_testcancel();
    int result = HD_REAL(fcntl)(fd, at_once(command), argument);
    if (result < 0 && (errno == EAGAIN || errno == EACCES)) {
        errno = saved;
        hd_leave(&c);
        result = HD_REAL(fcntl)(fd, command, argument);
        hd_return(&c);
    }
    return result;
}

#define FCNTL(name)                                                                                  \
    HD_EXPORT int name(int fd, int command, ...)                                                     \
    {                                                                                                \
        va_list ap;                                                                                  \
        va_start(ap, command);                                                                       \
        void *argument = va_arg(ap, void *);                                                         \
        va_end(ap);                                                                                  \
        return do_fcntl(fd, command, argument, HD_CALLER);                                           \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
