/* SPDX-License-Identifier: Apache-2.0
 * heddle's malloc: libc's, and out of memory ends the command (proto/memory.h), in the
 * libraries it uses as well. Of those, some lose names or fields without a word when
 * they get no memory, and some crash. What no limit would allow is still refused with
 * NULL: a damaged file may ask for it. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "proto/memory.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ANOTHER_ALLOCATOR
#endif
#endif
#if !defined(HAS_ANOTHER_ALLOCATOR) && !defined(__SANITIZE_ADDRESS__)

#define ABSURD ((size_t)1 << 30)

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
void *memalign(size_t, size_t);

static void *given(void *p, size_t size)
{
    if (!p && size && size < ABSURD)
        hd_out_of_memory();
    return p;
}

void *malloc(size_t size) { return given(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    return given(__libc_calloc(count, size), __builtin_mul_overflow(count, size, &bytes) ? ABSURD : bytes);
}

void *realloc(void *p, size_t size) { return given(__libc_realloc(p, size), size); }
void *memalign(size_t align, size_t size) { return given(__libc_memalign(align, size), size); }
void *aligned_alloc(size_t align, size_t size) { return memalign(align, size); }

int posix_memalign(void **out, size_t align, size_t size)
{
    if (align % sizeof(void *) || !align || align & (align - 1))
        return EINVAL;
    void *p = memalign(align, size);
    if (p)
        *out = p;
    return p ? 0 : ENOMEM;
}

void free(void *p)
{
    int saved = errno;
    __libc_free(p);
    errno = saved;
}
#endif
