/* SPDX-License-Identifier: Apache-2.0
 * What libheddle itself calls in place of functions that it interposes.
 *
 * The library is linked with --wrap for each name here (Makefile.am), so its own
 * calls, also those the compiler makes of assignments, end here and never in a
 * hook. They need no state: they work before any constructor, too. A barrier in
 * every loop keeps the compiler from turning it into a call to what it defines. */
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/own_libc.h"

#define KEEP_LOOP() __asm__ volatile("" ::: "memory")

/* Nearly all copies are values of accesses. */
void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    typedef uint64_t __attribute__((may_alias, aligned(1))) u64;
    typedef uint32_t __attribute__((may_alias, aligned(1))) u32;
    typedef uint16_t __attribute__((may_alias, aligned(1))) u16;
    char *a = to;
    const char *b = from;
    for (; size >= 8; size -= 8, a += 8, b += 8) {
        *(u64 *)a = *(const u64 *)b;
        KEEP_LOOP();
    }
    if (size & 4) {
        *(u32 *)a = *(const u32 *)b;
        a += 4, b += 4;
    }
    if (size & 2) {
        *(u16 *)a = *(const u16 *)b;
        a += 2, b += 2;
    }
    if (size & 1)
        *a = *b;
    return to;
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
    char *a = to;
    const char *b = from;
    if (a <= b || a >= b + size)
        return __wrap_memcpy(to, from, size);
    while (size--) {
        a[size] = b[size];
        KEEP_LOOP();
    }
    return to;
}

void *__wrap_memset(void *to, int byte, size_t size)
{
    typedef uint64_t __attribute__((may_alias, aligned(1))) u64;
    char *a = to;
    for (; size >= 8; size -= 8, a += 8) {
        *(u64 *)a = 0x0101010101010101ull * (unsigned char)byte;
        KEEP_LOOP();
    }
    for (; size; size--, a++) {
        *a = (char)byte;
        KEEP_LOOP();
    }
    return to;
}

int __wrap_memcmp(const void *p, const void *q, size_t size)
{
    const unsigned char *a = p, *b = q;
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i])
            return a[i] - b[i];
        KEEP_LOOP();
    }
    return 0;
}

size_t __wrap_strnlen(const char *s, size_t max)
{
    size_t n = 0;
    while (n < max && s[n]) {
        n++;
        KEEP_LOOP();
    }
    return n;
}

size_t __wrap_strlen(const char *s) { return __wrap_strnlen(s, SIZE_MAX); }

int __wrap_strncmp(const char *a, const char *b, size_t max)
{
    for (size_t i = 0; i < max; i++) {
        if (a[i] != b[i] || !a[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        KEEP_LOOP();
    }
    return 0;
}

int __wrap_strcmp(const char *a, const char *b) { return __wrap_strncmp(a, b, SIZE_MAX); }

char *__wrap_strncpy(char *to, const char *from, size_t size)
{
    size_t n = __wrap_strnlen(from, size);
    __wrap_memcpy(to, from, n);
    __wrap_memset(to + n, 0, size - n);
    return to;
}

char *__wrap_strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)(uintptr_t)s;
        if (!*s)
            return NULL;
        KEEP_LOOP();
    }
}

ssize_t __wrap_write(int fd, const void *p, size_t size) { return syscall(SYS_write, fd, p, size); }

ssize_t __wrap_read(int fd, void *p, size_t size) { return syscall(SYS_read, fd, p, size); }

int __wrap_poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
    struct timespec limit = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
    return (int)syscall(SYS_ppoll, fds, count, milliseconds < 0 ? NULL : &limit, NULL, 0);
}

int __wrap_kill(pid_t pid, int number) { return (int)syscall(SYS_kill, pid, number); }
int __wrap_pause(void) { return (int)syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0); }

/* No lock is waited for in here. */
int __wrap_fcntl(int fd, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    long argument = va_arg(ap, long);
    va_end(ap);
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

void *__wrap_mmap(void *p, size_t size, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, p, size, protection, flags, fd, offset);
}

int __wrap_munmap(void *p, size_t size) { return (int)syscall(SYS_munmap, p, size); }

int __wrap_fstat(int fd, struct stat *st) { return (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH); }

int __wrap_open(const char *path, int flags, ...) { return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0); }

int __wrap_close(int fd) { return (int)syscall(SYS_close, fd); }

int __wrap_madvise(void *p, size_t size, int advice) { return (int)syscall(SYS_madvise, p, size, advice); }

int __wrap_mprotect(void *p, size_t size, int protection) { return (int)syscall(SYS_mprotect, p, size, protection); }

int __wrap_sched_yield(void) { return (int)syscall(SYS_sched_yield); }

size_t __wrap_strcspn(const char *s, const char *stops)
{
    size_t n = 0;
    while (s[n] && !__wrap_strchr(stops, s[n]))
        n++;
    return n;
}

size_t __wrap_strspn(const char *s, const char *accepted)
{
    size_t n = 0;
    while (s[n] && __wrap_strchr(accepted, s[n]))
        n++;
    return n;
}

char *__wrap_strsep(char **rest, const char *stops)
{
    char *word = *rest;
    if (!word)
        return NULL;
    char *end = word + __wrap_strcspn(word, stops);
    *rest = *end ? end + 1 : NULL;
    *end = 0;
    return word;
}

char *__wrap_strstr(const char *text, const char *wanted)
{
    size_t length = __wrap_strlen(wanted);
    for (; *text; text++)
        if (__wrap_strncmp(text, wanted, length) == 0)
            return (char *)(uintptr_t)text;
    return length ? NULL : (char *)(uintptr_t)text;
}
