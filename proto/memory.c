/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void out_of_memory(void)
{
    fputs("heddle: out of memory; close other programs or raise the limit (ulimit -v)\n", stderr);
    exit(2);
}

void *hd_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *hd_realloc(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    size_t bytes = count * size;
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        out_of_memory();
    return q;
}

size_t hd_memory_for_file(void)
{
    struct rlimit limit;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT32_MAX;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return (size_t)(bytes / 3);
}

char *hd_strdup(const char *s)
{
    if (!s)
        s = "";
    size_t size = strlen(s) + 1;
    char *copy = hd_realloc(NULL, size, 1);
    memcpy(copy, s, size);
    return copy;
}

char *hd_format(const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (length < 0)
        length = 0;
    char *text = hd_alloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    return text;
}
