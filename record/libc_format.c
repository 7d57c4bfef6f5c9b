/* SPDX-License-Identifier: Apache-2.0
 * sprintf and its family: what they write. The text is made in a bounce and then
 * stored. What the arguments point to is read unseen. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/user_memory.h"

int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
void __chk_fail(void) __attribute__((noreturn));

#define UNLIMITED SIZE_MAX

struct target {
    char *to;
    size_t size;  /* of the buffer, as the caller says; UNLIMITED: sprintf */
    int flag;     /* -1: the plain function; else its fortified form */
    size_t room;  /* fortified: what the compiler knows of the buffer */
    uint64_t pc;
};

static int format(const struct target *w, char *to, size_t size, const char *text, va_list ap)
{
    return w->flag < 0 ? HD_REAL(vsnprintf)(to, size, text, ap)
                       : HD_REAL(__vsnprintf_chk)(to, size, w->flag, size, text, ap);
}

static int pass_through(const struct target *w, const char *text, va_list ap)
{
    if (w->flag < 0)
        return w->size == UNLIMITED ? HD_REAL(vsprintf)(w->to, text, ap) : HD_REAL(vsnprintf)(w->to, w->size, text, ap);
    return w->size == UNLIMITED ? HD_REAL(__vsprintf_chk)(w->to, w->flag, w->room, text, ap)
                                : HD_REAL(__vsnprintf_chk)(w->to, w->size, w->flag, w->room, text, ap);
}

/* Formats twice only what is longer than the small bounce. */
static int print(const struct target *w, const char *text, va_list ap)
{
    struct hd_thread *t = hd_recorder();
    if (!t || w->size == 0 || (w->flag >= 0 && w->size != UNLIMITED && w->size > w->room))
        return pass_through(w, text, ap);
    struct hd_bounce bounce;
    va_list again;
    va_copy(again, ap);
    hd_bounce_make(&bounce, 0);
    int length = format(w, bounce.at, sizeof bounce.small, text, ap), saved = errno;
    size_t bytes = length < 0 ? 0 : (size_t)length + 1;
    if (bytes > w->size)
        bytes = w->size;
    if (w->flag >= 0 && bytes > w->room)
        __chk_fail();
    if (bytes > sizeof bounce.small && hd_bounce_make(&bounce, bytes))
        format(w, bounce.at, bytes, text, again);
    va_end(again);
    if (bounce.at && bytes) {
        bounce.at[bytes - 1] = 0;
        hd_user_store(t, w->to, bounce.at, bytes, w->pc);
    }
    hd_bounce_drop(&bounce);
    errno = saved;
    return length;
}

#define PRINT(name, parameters, ...)                                                                 \
    HD_EXPORT int name parameters                                                                    \
    {                                                                                                \
        struct target w = { __VA_ARGS__, HD_CALLER };                                                \
        return print(&w, text, ap);                                                                  \
    }
#define PRINT_VARIADIC(name, parameters, ...)                                                        \
    HD_EXPORT int name parameters                                                                    \
    {                                                                                                \
        struct target w = { __VA_ARGS__, HD_CALLER };                                                \
        va_list ap;                                                                                  \
        va_start(ap, text);                                                                          \
        int length = print(&w, text, ap);                                                            \
        va_end(ap);                                                                                  \
        return length;                                                                               \
    }
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
PRINT(vsprintf, (char *to, const char *text, va_list ap), to, UNLIMITED, -1, 0)
PRINT(vsnprintf, (char *to, size_t size, const char *text, va_list ap), to, size, -1, 0)
PRINT(__vsprintf_chk, (char *to, int flag, size_t room, const char *text, va_list ap), to, UNLIMITED, flag, room)
PRINT(__vsnprintf_chk, (char *to, size_t size, int flag, size_t room, const char *text, va_list ap), to, size, flag, room)
PRINT_VARIADIC(sprintf, (char *to, const char *text, ...), to, UNLIMITED, -1, 0)
PRINT_VARIADIC(snprintf, (char *to, size_t size, const char *text, ...), to, size, -1, 0)
PRINT_VARIADIC(__sprintf_chk, (char *to, int flag, size_t room, const char *text, ...), to, UNLIMITED, flag, room)
PRINT_VARIADIC(__snprintf_chk, (char *to, size_t size, int flag, size_t room, const char *text, ...), to, size, flag, room)

/* ------------------------------------------------------------- into a new block */

static int print_block(char **place, const char *text, va_list ap, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    if (!t)
        return HD_REAL(vasprintf)(place, text, ap);
    char *block = NULL;
    t->inside = 1;
    int length = HD_REAL(vasprintf)(&block, text, ap), saved = errno;
    t->inside = 0;
    if (length >= 0) {
        hd_heap_made(t, block, (size_t)length + 1, pc);
        hd_access_range(t, block, (size_t)length + 1, HD_WRITE, pc);
        hd_user_store(t, place, &block, sizeof block, pc);
    }
    errno = saved;
    return length;
}

HD_EXPORT int vasprintf(char **place, const char *text, va_list ap) { return print_block(place, text, ap, HD_CALLER); }

HD_EXPORT int asprintf(char **place, const char *text, ...)
{
    va_list ap;
    va_start(ap, text);
    int length = print_block(place, text, ap, HD_CALLER);
    va_end(ap);
    return length;
}
