/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ENDS_MAX 4
static void (*at_end[ENDS_MAX])(void);
static unsigned ends;

void hd_at_end(void (*tidy)(void))
{
    if (ends < ENDS_MAX && atexit(tidy) == 0)
        at_end[ends++] = tidy;
}

/* In the midst of a library, whose handlers at exit might wait for what it was at: ours alone run. */
void hd_out_of_memory(void)
{
    static const char line[] = "heddle: out of memory; close other programs or raise the limit (ulimit -v)\n";
    ssize_t told = write(STDERR_FILENO, line, sizeof line - 1);
    (void)told;
    while (ends)
        at_end[--ends]();
    _exit(2);
}

void hd_end_if_exhausted(const char *what)
{
    int why = errno;
    if (why != EMFILE && why != ENFILE && why != ENOMEM && why != EIO)
        return;
    fprintf(stderr, "heddle: %s: %s; close other programs or raise the limits (ulimit -a)\n", what, strerror(why));
    exit(2);
}

void *hd_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        hd_out_of_memory();
    return p;
}

void *hd_realloc(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        hd_out_of_memory();
    size_t bytes = count * size;
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        hd_out_of_memory();
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
