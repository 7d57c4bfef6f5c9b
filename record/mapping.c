/* SPDX-License-Identifier: Apache-2.0
 * Pages that come and go. A mapping is a block, its end a free; values that wait
 * to be taken are taken while the pages are still there. */
#include <stdarg.h>
#include <sys/mman.h>

#include "record/user_memory.h"

static void mapped(struct hd_thread *t, void *p, size_t size, uint64_t pc)
{
    int saved = errno;
    if (t && p != MAP_FAILED) {
        hd_access_mark(t, HD_ALLOC, (uint64_t)(uintptr_t)p, size, pc);
        hd_objects_forget((uint64_t)(uintptr_t)p, size);
    }
    errno = saved;
}

static void unmapped(struct hd_thread *t, void *p, size_t size, uint64_t pc)
{
    int saved = errno;
    if (t)
        hd_access_mark(t, HD_FREE, (uint64_t)(uintptr_t)p, size, pc);
    errno = saved;
}

#define MMAP(name)                                                                                   \
    HD_EXPORT void *name(void *p, size_t size, int protection, int flags, int fd, off_t offset)      \
    {                                                                                                \
        struct hd_thread *t = hd_recorder();                                                         \
        if (t)                                                                                       \
            hd_access_interval(t);                                                                   \
        void *q = HD_REAL(name)(p, size, protection, flags, fd, offset);                             \
        mapped(t, q, size, HD_CALLER);                                                               \
        return q;                                                                                    \
    }
MMAP(mmap)
MMAP(mmap64)

HD_EXPORT int munmap(void *p, size_t size)
{
    unmapped(hd_recorder(), p, size, HD_CALLER);
    return HD_REAL(munmap)(p, size);
}

HD_EXPORT void *mremap(void *p, size_t old_size, size_t size, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    void *target = va_arg(ap, void *);
    va_end(ap);
    struct hd_thread *t = hd_recorder();
    unmapped(t, p, old_size, HD_CALLER);
    void *q = HD_REAL(mremap)(p, old_size, size, flags, target);
    mapped(t, q, size, HD_CALLER);
    return q;
}

#define FLUSHED(name, parameters, arguments)                                                         \
    HD_EXPORT int name parameters                                                                    \
    {                                                                                                \
        struct hd_thread *t = hd_recorder();                                                         \
        int saved = errno;                                                                           \
        if (t)                                                                                       \
            hd_access_interval(t);                                                                   \
        errno = saved;                                                                               \
        return HD_REAL(name) arguments;                                                              \
    }
FLUSHED(mprotect, (void *p, size_t size, int protection), (p, size, protection))

/* Private pages that are dropped read as zero afterwards: new ones. */
HD_EXPORT int madvise(void *p, size_t size, int advice)
{
    struct hd_thread *t = hd_recorder();
    bool drops = advice == MADV_DONTNEED || advice == MADV_REMOVE;
    if (t)
        hd_access_interval(t);
    int result = HD_REAL(madvise)(p, size, advice);
    if (drops && result == 0)
        mapped(t, p, size, HD_CALLER);
    return result;
}
