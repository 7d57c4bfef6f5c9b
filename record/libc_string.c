/* SPDX-License-Identifier: Apache-2.0
 * String functions, as the reads and writes they make. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "record/own_libc.h"
#include "record/user_memory.h"

void __chk_fail(void) __attribute__((noreturn));
void *__libc_malloc(size_t);

HD_EXPORT size_t strlen(const char *s)
{
    struct hd_thread *t = hd_recorder();
    return t ? hd_user_length(t, s, HD_CALLER) : HD_REAL(strlen)(s);
}

HD_EXPORT size_t strnlen(const char *s, size_t max)
{
    struct hd_thread *t = hd_recorder();
    return t ? hd_user_scan(t, s, max, 0, HD_CALLER) : HD_REAL(strnlen)(s, max);
}

/* ------------------------------------------------------------------ compare */

#define COMPARE(name, parameters, arguments, max, how)                                               \
    HD_EXPORT int name parameters                                                                    \
    {                                                                                                \
        struct hd_thread *t = hd_recorder();                                                         \
        return t ? hd_user_compare(t, a, b, max, how, HD_CALLER) : HD_REAL(name) arguments;          \
    }
COMPARE(strcmp, (const char *a, const char *b), (a, b), SIZE_MAX, HD_STRING)
COMPARE(strncmp, (const char *a, const char *b, size_t n), (a, b, n), n, HD_STRING)
COMPARE(strcasecmp, (const char *a, const char *b), (a, b), SIZE_MAX, HD_STRING_NOCASE)
COMPARE(strncasecmp, (const char *a, const char *b, size_t n), (a, b, n), n, HD_STRING_NOCASE)

/* --------------------------------------------------------------------- copy */

/* The end of what was written: the NUL, if there is one. */
static char *copy_all(struct hd_thread *t, char *to, const char *from, uint64_t pc)
{
    size_t n = __wrap_strlen(from);
    hd_user_copy(t, to, from, n + 1, pc);
    return to + n;
}

static char *copy_padded(struct hd_thread *t, char *to, const char *from, size_t size, uint64_t pc)
{
    size_t n = __wrap_strnlen(from, size);
    hd_user_copy(t, to, from, n < size ? n + 1 : n, pc);
    if (n < size)
        hd_user_set(t, to + n + 1, 0, size - n - 1, pc);
    return to + n;
}

static void append(struct hd_thread *t, char *to, const char *from, size_t max, uint64_t pc)
{
    size_t n = __wrap_strnlen(from, max);
    to += hd_user_length(t, to, pc);
    hd_user_copy(t, to, from, n < max ? n + 1 : n, pc);
    if (n == max)
        hd_user_set(t, to + n, 0, 1, pc);
}

static char *do_strcpy(char *to, const char *from, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    return t ? (copy_all(t, to, from, pc), to) : HD_REAL(strcpy)(to, from);
}

static char *do_stpcpy(char *to, const char *from, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    return t ? copy_all(t, to, from, pc) : HD_REAL(stpcpy)(to, from);
}

static char *do_strncpy(char *to, const char *from, size_t size, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    return t ? (copy_padded(t, to, from, size, pc), to) : HD_REAL(strncpy)(to, from, size);
}

static char *do_stpncpy(char *to, const char *from, size_t size, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    return t ? copy_padded(t, to, from, size, pc) : HD_REAL(stpncpy)(to, from, size);
}

static char *do_strcat(char *to, const char *from, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    return t ? (append(t, to, from, SIZE_MAX, pc), to) : HD_REAL(strcat)(to, from);
}

static char *do_strncat(char *to, const char *from, size_t max, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    return t ? (append(t, to, from, max, pc), to) : HD_REAL(strncat)(to, from, max);
}

HD_EXPORT char *strcpy(char *to, const char *from) { return do_strcpy(to, from, HD_CALLER); }
HD_EXPORT char *stpcpy(char *to, const char *from) { return do_stpcpy(to, from, HD_CALLER); }
HD_EXPORT char *strncpy(char *to, const char *from, size_t n) { return do_strncpy(to, from, n, HD_CALLER); }
HD_EXPORT char *stpncpy(char *to, const char *from, size_t n) { return do_stpncpy(to, from, n, HD_CALLER); }
HD_EXPORT char *strcat(char *to, const char *from) { return do_strcat(to, from, HD_CALLER); }
HD_EXPORT char *strncat(char *to, const char *from, size_t n) { return do_strncat(to, from, n, HD_CALLER); }

/* What _FORTIFY_SOURCE makes of them: `room` is what the compiler knows of the target. */
#define FITS(needed, room) ((needed) > (room) ? __chk_fail() : (void)0)
#define CHECKED(name) HD_EXPORT char *__##name##_chk(char *, const char *, size_t); char *__##name##_chk
#define CHECKED_N(name) HD_EXPORT char *__##name##_chk(char *, const char *, size_t, size_t); char *__##name##_chk

CHECKED(strcpy)(char *to, const char *from, size_t room)
{
    FITS(__wrap_strlen(from) + 1, room);
    return do_strcpy(to, from, HD_CALLER);
}

CHECKED(stpcpy)(char *to, const char *from, size_t room)
{
    FITS(__wrap_strlen(from) + 1, room);
    return do_stpcpy(to, from, HD_CALLER);
}

CHECKED(strcat)(char *to, const char *from, size_t room)
{
    FITS(__wrap_strlen(to) + __wrap_strlen(from) + 1, room);
    return do_strcat(to, from, HD_CALLER);
}

CHECKED_N(strncpy)(char *to, const char *from, size_t n, size_t room)
{
    FITS(n, room);
    return do_strncpy(to, from, n, HD_CALLER);
}

CHECKED_N(stpncpy)(char *to, const char *from, size_t n, size_t room)
{
    FITS(n, room);
    return do_stpncpy(to, from, n, HD_CALLER);
}

CHECKED_N(strncat)(char *to, const char *from, size_t n, size_t room)
{
    FITS(__wrap_strlen(to) + __wrap_strnlen(from, n) + 1, room);
    return do_strncat(to, from, n, HD_CALLER);
}

static char *duplicate(struct hd_thread *t, const char *s, size_t max, uint64_t pc)
{
    size_t n = __wrap_strnlen(s, max);
    char *p = __libc_malloc(n + 1);
    if (!p)
        return NULL;
    hd_heap_made(t, p, n + 1, pc);
    hd_user_copy(t, p, s, n, pc);
    hd_user_set(t, p + n, 0, 1, pc);
    return p;
}

#define DUPLICATE(name, parameters, arguments, max)                                                  \
    HD_EXPORT char *name parameters;                                                                 \
    char *name parameters                                                                            \
    {                                                                                                \
        struct hd_thread *t = hd_recorder();                                                         \
        return t ? duplicate(t, s, max, HD_CALLER) : HD_REAL(name) arguments;                        \
    }
DUPLICATE(strdup, (const char *s), (s), SIZE_MAX)
DUPLICATE(__strdup, (const char *s), (s), SIZE_MAX)
DUPLICATE(strndup, (const char *s, size_t n), (s, n), n)
DUPLICATE(__strndup, (const char *s, size_t n), (s, n), n)
