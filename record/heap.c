/* SPDX-License-Identifier: Apache-2.0
 * Heap blocks. The allocator is reached by its libc names, never by dlsym, which
 * allocates itself. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "record/runtime.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void hd_heap_made(struct hd_thread *t, void *p, size_t size, uint64_t pc)
{
    hd_block_made(p, size);
    hd_access_mark(t, HD_ALLOC, (uint64_t)(uintptr_t)p, size, pc);
    hd_objects_forget((uint64_t)(uintptr_t)p, size);
}

void hd_heap_freed(struct hd_thread *t, void *p, uint64_t pc)
{
    hd_access_mark(t, HD_FREE, (uint64_t)(uintptr_t)p, hd_block_size(p), pc);
}

static void *allocated(void *p, size_t size, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    int saved = errno;
    if (t && p)
        hd_heap_made(t, p, size, pc);
    errno = saved;
    return p;
}

HD_EXPORT void *malloc(size_t size) { return allocated(__libc_malloc(size), size, HD_CALLER); }

HD_EXPORT void *calloc(size_t count, size_t size)
{
    return allocated(__libc_calloc(count, size), count * size, HD_CALLER);
}

HD_EXPORT void *memalign(size_t align, size_t size)
{
    return allocated(__libc_memalign(align, size), size, HD_CALLER);
}

HD_EXPORT void *aligned_alloc(size_t align, size_t size)
{
    return allocated(__libc_memalign(align, size), size, HD_CALLER);
}

HD_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
    if (align % sizeof(void *) || align == 0 || (align & (align - 1)))
        return EINVAL;
    int saved = errno;
    void *p = __libc_memalign(align, size);
    errno = saved;
    if (!p)
        return ENOMEM;
    *out = allocated(p, size, HD_CALLER);
    return 0;
}

static void freed(struct hd_thread *t, void *p, uint64_t pc)
{
    if (t && p)
        hd_heap_freed(t, p, pc);
}

HD_EXPORT void free(void *p)
{
    int saved = errno;
    freed(hd_recorder(), p, HD_CALLER);
    __libc_free(p);
    errno = saved;
}

/* In place: locks in it are the same locks. */
static void *stayed(struct hd_thread *t, void *p, size_t size, uint64_t pc)
{
    hd_block_made(p, size);
    hd_access_mark(t, HD_ALLOC, (uint64_t)(uintptr_t)p, size, pc);
    return p;
}

/* The old block is read and freed, the new one allocated and written: what moves is seen to move. */
static void *moved(struct hd_thread *t, void *p, size_t size, uint64_t pc)
{
    size_t held = p ? hd_block_size(p) : 0, kept = held < size ? held : size;
    hd_access_range(t, p, kept, HD_READ, pc);
    freed(t, p, pc);
    void *q = __libc_realloc(p, size);
    int saved = errno;
    if (q || size) {
        void *now = q && q != p ? allocated(q, size, pc) : stayed(t, p, q ? size : held, pc);
        hd_access_range(t, now, kept, HD_WRITE, pc);
    }
    errno = saved;
    return q;
}

HD_EXPORT void *realloc(void *p, size_t size)
{
    struct hd_thread *t = hd_recorder();
    return t ? moved(t, p, size, HD_CALLER) : __libc_realloc(p, size);
}

HD_EXPORT void *reallocarray(void *p, size_t count, size_t size)
{
    struct hd_thread *t = hd_recorder();
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return t ? moved(t, p, bytes, HD_CALLER) : __libc_realloc(p, bytes);
}
