/* SPDX-License-Identifier: Apache-2.0
 * Faults in the program under test, as plan.h says: libheddle's own mmap and open
 * (record/own_libc.c), what the program and its libraries allocate, and the calls
 * that libheddle carries out on the program's behalf. The linker puts these between. */
#include <pthread.h>
#include <string.h>
#include <sys/types.h>

#include "tests/fault/plan.h"

#define FAULT(call) fault_at(FAULT_##call, "test", 1)

#include "tests/fault/allocator.h"

void *__real_hd_real(const char *);
void *__wrap_hd_real(const char *);
void *hd_own_mmap(void *, size_t, int, int, int, off_t);
int hd_own_open(const char *, int, ...);
/* record/own_libc.c is compiled with the names above. */
#undef __wrap_mmap
#undef __wrap_open
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
int __wrap_open(const char *, int, ...);

void *__wrap_mmap(void *p, size_t size, int protection, int flags, int fd, off_t offset)
{
    return FAULT(MMAP) ? MAP_FAILED : hd_own_mmap(p, size, protection, flags, fd, offset);
}

int __wrap_open(const char *path, int flags, ...) { return FAULT(OPEN) ? -1 : hd_own_open(path, flags); }

static ssize_t user_write(int fd, const void *bytes, size_t size)
{
    static __typeof__(&user_write) real;
    if (!real)
        real = (__typeof__(real))__real_hd_real("write");
    return FAULT(WRITE) ? -1 : real(fd, bytes, size);
}

static int user_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static __typeof__(&user_create) real;
    if (!real)
        real = (__typeof__(real))__real_hd_real("pthread_create");
    return FAULT(THREAD) ? EAGAIN : real(thread, attributes, start, argument);
}

static pid_t user_fork(void)
{
    static __typeof__(&user_fork) real;
    if (!real)
        real = (__typeof__(real))__real_hd_real("fork");
    return FAULT(FORK) ? -1 : real();
}

void *__wrap_hd_real(const char *name)
{
    static const struct { const char *name; void *function; } faulty[] = {
        { "write", (void *)user_write },
        { "pthread_create", (void *)user_create },
        { "fork", (void *)user_fork },
    };
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        if (strcmp(name, faulty[i].name) == 0)
            return faulty[i].function;
    return __real_hd_real(name);
}
