/* SPDX-License-Identifier: Apache-2.0
 * Faults in heddle: functions of libc that fail as plan.h says, also where the
 * libraries call them, because the executable's definitions come first.
 *
 * What stdio writes, it writes inside libc. Before a function of stdio that is about
 * to write, the descriptor is /dev/full for a while: the error is stdio's own.
 * stderr never fails: that a message cannot be shown, no message can say. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fault/plan.h"

#define FAULT(call) fault_at(FAULT_##call, "tool", 0)

#include "tests/fault/allocator.h"

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* TYPE NAME(PARAMETERS) fails with FAILURE, or does as it always does. */
#define FAILS(call, type, failure, name, parameters, arguments)                                      \
    type name parameters                                                                             \
    {                                                                                                \
        static __typeof__(&name) real;                                                               \
        if (!real)                                                                                   \
            real = REAL(name);                                                                       \
        return FAULT(call) ? failure : real arguments;                                               \
    }

FAILS(MMAP, void *, MAP_FAILED, mmap, (void *p, size_t size, int protection, int flags, int fd, off_t offset),
      (p, size, protection, flags, fd, offset))
ssize_t write(int fd, const void *bytes, size_t size)
{
    return fd != STDERR_FILENO && FAULT(WRITE) ? -1 : syscall(SYS_write, fd, bytes, size);
}

FAILS(OPEN, FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
int mkdir(const char *, mode_t);
FAILS(RENAME, int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
FAILS(RENAME, int, -1, rename, (const char *from, const char *to), (from, to))
FAILS(TRUNCATE, int, -1, ftruncate, (int fd, off_t size), (fd, size))
FAILS(PIPE, int, -1, pipe, (int ends[2]), (ends))
FAILS(PIPE, int, -1, memfd_create, (const char *name, unsigned flags), (name, flags))
int eventfd(unsigned, int);
FAILS(PIPE, int, -1, eventfd, (unsigned count, int flags), (count, flags))
int socketpair(int, int, int, int[2]);
FAILS(PIPE, int, -1, socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends))
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
FAILS(THREAD, int, EAGAIN, pthread_create,
      (pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
      (thread, attributes, start, argument))
FAILS(FORK, pid_t, -1, fork, (void), ())
FAILS(FORK, FILE *, NULL, popen, (const char *command, const char *mode), (command, mode))
void *opendir(const char *);
FAILS(OPEN, void *, NULL, opendir, (const char *path), (path))

static int open_file(const char *path, int flags, va_list ap)
{
    int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    return FAULT(OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                                                                   \
    int name(const char *path, int flags, ...)                                                       \
    {                                                                                                \
        va_list ap;                                                                                  \
        va_start(ap, flags);                                                                         \
        int fd = open_file(path, flags, ap);                                                         \
        va_end(ap);                                                                                  \
        return fd;                                                                                   \
    }
OPEN(open)
OPEN(open64)

/* ------------------------------------------------------------ stdio */

struct full { int fd, kept; };

static struct full full_begin(FILE *f)
{
    struct full full = { .fd = fileno(f) };
    int device = (int)syscall(SYS_openat, AT_FDCWD, "/dev/full", O_WRONLY | O_CLOEXEC);
    int close_on_exec = fcntl(full.fd, F_GETFD) & FD_CLOEXEC;
    full.kept = fcntl(full.fd, F_DUPFD_CLOEXEC, 300);
    dup3(device, full.fd, close_on_exec ? O_CLOEXEC : 0);
    close(device);
    return full;
}

static void full_end(struct full full, bool closed)
{
    int saved = errno, close_on_exec = closed ? 0 : fcntl(full.fd, F_GETFD) & FD_CLOEXEC;
    if (!closed)
        dup3(full.kept, full.fd, close_on_exec ? O_CLOEXEC : 0);
    close(full.kept);
    errno = saved;
}

static bool is_to_fail(FILE *f, size_t more)
{
    size_t room = __fbufsize(f);
    bool writes = room ? __fpending(f) + more >= room : more >= 4096;
    return f != stderr && fileno(f) >= 0 && writes && FAULT(WRITE);
}

static bool is_to_fail_now(FILE *f) { return f != stderr && fileno(f) >= 0 && __fpending(f) && FAULT(WRITE); }

#define AROUND(f, fails, closed, type, call)                                                         \
    if (!(fails))                                                                                    \
        return call;                                                                                 \
    struct full full = full_begin(f);                                                                \
    type result = call;                                                                              \
    full_end(full, closed);                                                                          \
    return result;

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *f)
{
    AROUND(f, is_to_fail(f, size * count), false, size_t, REAL(fwrite)(bytes, size, count, f))
}

int fputs(const char *text, FILE *f) { AROUND(f, is_to_fail(f, strlen(text)), false, int, REAL(fputs)(text, f)) }
int puts(const char *text) { AROUND(stdout, is_to_fail(stdout, strlen(text) + 1), false, int, REAL(puts)(text)) }
int fputc(int c, FILE *f) { AROUND(f, is_to_fail(f, 1), false, int, REAL(fputc)(c, f)) }
#undef putc
int putc(int c, FILE *f) { return fputc(c, f); }
#undef putchar
int putchar(int c) { return fputc(c, stdout); }

static size_t length_of(const char *format, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    return length > 0 ? (size_t)length : 0;
}

int vfprintf(FILE *f, const char *format, va_list ap)
{
    AROUND(f, is_to_fail(f, length_of(format, ap)), false, int, REAL(vfprintf)(f, format, ap))
}

int fprintf(FILE *f, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int length = vfprintf(f, format, ap);
    va_end(ap);
    return length;
}

int printf(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int length = vfprintf(stdout, format, ap);
    va_end(ap);
    return length;
}

int fflush(FILE *f)
{
    FILE *named = f ? f : stdout;
    AROUND(named, is_to_fail_now(named), false, int, REAL(fflush)(f))
}

int fclose(FILE *f) { AROUND(f, is_to_fail_now(f), true, int, REAL(fclose)(f)) }
