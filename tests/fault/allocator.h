/* SPDX-License-Identifier: Apache-2.0
 * libc's allocator behind heddle's or libheddle's own, failing as plan.h says. */
#ifndef HD_FAULT_ALLOCATOR_H
#define HD_FAULT_ALLOCATOR_H

#include <stddef.h>

#define ALLOCATOR(name, parameters, arguments)                                                       \
    void *__real___libc_##name parameters;                                                           \
    void *__wrap___libc_##name parameters;                                                           \
    void *__wrap___libc_##name parameters { return FAULT(MALLOC) ? NULL : __real___libc_##name arguments; }
ALLOCATOR(malloc, (size_t size), (size))
ALLOCATOR(calloc, (size_t count, size_t size), (count, size))
ALLOCATOR(realloc, (void *p, size_t size), (p, size))
ALLOCATOR(memalign, (size_t align, size_t size), (align, size))

#endif
