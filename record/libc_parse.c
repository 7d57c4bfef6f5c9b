/* SPDX-License-Identifier: Apache-2.0
 * Text into numbers: strtol and its family, sscanf. scanf and fscanf are in stream.c. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "record/own_libc.h"
#include "record/user_memory.h"

static void store_end(struct hd_thread *t, char **user, char *end, uint64_t pc)
{
    int saved = errno;
    hd_user_store(t, user, &end, sizeof end, pc);
    errno = saved;
}

/* The header may give the plain names to the variants of a newer standard: ours are made by label.
 * The first call tells how far the number goes, the second is the one that counts. */
#define NUMBER(type, name, parameters, arguments)                                                    \
    HD_EXPORT type hd_##name parameters __asm__(#name);                                              \
    type hd_##name parameters                                                                        \
    {                                                                                                \
        static __typeof__(hd_##name) *real;                                                          \
        if (!real)                                                                                   \
            real = (__typeof__(real))hd_real(#name);                                                 \
        struct hd_thread *t = hd_recorder();                                                         \
        if (!t)                                                                                      \
            return real arguments;                                                                   \
        char *end = NULL, **user = place; /* NULL stays with a base that there is not */             \
        int saved = errno;                                                                           \
        place = &end;                                                                                \
        real arguments;                                                                              \
        if (end)                                                                                     \
            hd_access_range(t, s, (size_t)(end - s) + 1, HD_READ, HD_CALLER);                        \
        errno = saved;                                                                               \
        type number = real arguments;                                                                \
        if (user && end)                                                                             \
            store_end(t, user, end, HD_CALLER);                                                      \
        return number;                                                                               \
    }
#define INTEGER(type, name) \
    NUMBER(type, name, (const char *s, char **place, int base), (s, place, base))
#define REAL(type, name) NUMBER(type, name, (const char *s, char **place), (s, place))
INTEGER(long, strtol)
INTEGER(unsigned long, strtoul)
INTEGER(long long, strtoll)
INTEGER(unsigned long long, strtoull)
REAL(double, strtod)
REAL(float, strtof)

#define PLAIN_NUMBER(type, name, find_end)                                                           \
    HD_EXPORT type hd_##name(const char *s) __asm__(#name);                                          \
    type hd_##name(const char *s)                                                                    \
    {                                                                                                \
        struct hd_thread *t = hd_recorder();                                                         \
        if (t) {                                                                                     \
            char *end;                                                                               \
            int saved = errno;                                                                       \
            find_end;                                                                                \
            hd_access_range(t, s, (size_t)(end - s) + 1, HD_READ, HD_CALLER);                        \
            errno = saved;                                                                           \
        }                                                                                            \
        return HD_REAL(name)(s);                                                                     \
    }
PLAIN_NUMBER(int, atoi, HD_REAL(strtol)(s, &end, 10))
PLAIN_NUMBER(long, atol, HD_REAL(strtol)(s, &end, 10))
PLAIN_NUMBER(long long, atoll, HD_REAL(strtoll)(s, &end, 10))
PLAIN_NUMBER(double, atof, HD_REAL(strtod)(s, &end))

/* ------------------------------------------------------------------- sscanf */

struct conversion {
    char letter;       /* 0: none left */
    bool assigns, allocates;
    size_t width, size; /* size: of the number stored */
};

static const char *set_end(const char *f)
{
    f += *f == '^';
    f += *f == ']';
    while (*f && *f != ']')
        f++;
    return f;
}

static size_t number_size(char letter, int longs, int shorts)
{
    bool is_float = letter == 'a' || letter == 'A' || letter == 'e' || letter == 'E' || letter == 'f' ||
                    letter == 'F' || letter == 'g' || letter == 'G';
    if (letter == 'p')
        return sizeof(void *);
    if (is_float)
        return longs > 1 ? sizeof(long double) : longs ? sizeof(double) : sizeof(float);
    return longs ? sizeof(long long) : shorts > 1 ? 1 : shorts ? sizeof(short) : sizeof(int);
}

/* The next conversion from `f` on; where the format goes on. */
static const char *next_conversion(const char *f, struct conversion *c)
{
    *c = (struct conversion){ .assigns = true };
    int longs = 0, shorts = 0;
    while (*f && (*f != '%' || f[1] == '%'))
        f += *f == '%' ? 2 : 1;
    if (!*f)
        return f;
    for (f++;; f++) {
        if (*f == '*')
            c->assigns = false;
        else if (*f >= '0' && *f <= '9')
            c->width = c->width * 10 + (size_t)(*f - '0');
        else if (*f == 'm')
            c->allocates = true;
        else if (*f == 'l' || *f == 'z' || *f == 'j' || *f == 't')
            longs++;
        else if (*f == 'L' || *f == 'q')
            longs += 2;
        else if (*f == 'h')
            shorts++;
        else if (*f != '\'')
            break;
    }
    c->letter = *f;
    c->size = longs && (*f == 's' || *f == 'c' || *f == '[') ? 0 : number_size(*f, longs, shorts);
    if (*f == '[')
        f = set_end(f + 1);
    return *f ? f + 1 : f;
}

static void stored(struct hd_thread *t, const struct conversion *c, void *place, uint64_t pc)
{
    size_t size = c->size;
    if (c->allocates)
        size = sizeof(void *);
    else if (c->letter == 'c')
        size = size ? (c->width ? c->width : 1) : (c->width ? c->width : 1) * sizeof(wchar_t);
    else if (c->letter == 's' || c->letter == '[')
        size = size ? __wrap_strlen(place) + 1 : (wcslen(place) + 1) * sizeof(wchar_t);
    hd_access_range(t, place, size, HD_WRITE, pc);
}

/* The `done` first assignments were made; %n does not count as one. */
void hd_scanned(struct hd_thread *t, const char *f, int done, va_list ap, uint64_t pc)
{
    struct conversion c;
    for (f = next_conversion(f, &c); c.letter; f = next_conversion(f, &c)) {
        if (!c.assigns)
            continue;
        if (c.letter != 'n' && done-- <= 0)
            return;
        stored(t, &c, va_arg(ap, void *), pc);
    }
}

static int scan(const char *name, const char *s, const char *f, va_list ap, uint64_t pc)
{
    int (*real)(const char *, const char *, va_list) = (int (*)(const char *, const char *, va_list))hd_real(name);
    struct hd_thread *t = hd_recorder();
    va_list again;
    va_copy(again, ap);
    if (t)
        hd_user_length(t, s, pc);
    int done = real(s, f, ap), saved = errno;
    if (t)
        hd_scanned(t, f, done, again, pc);
    va_end(again);
    errno = saved;
    return done;
}

#define SCAN(name, vname)                                                                            \
    HD_EXPORT int hd_##vname(const char *s, const char *f, va_list ap) __asm__(#vname);              \
    HD_EXPORT int hd_##name(const char *s, const char *f, ...) __asm__(#name);                       \
    int hd_##vname(const char *s, const char *f, va_list ap)                                         \
    {                                                                                                \
        return scan(#vname, s, f, ap, HD_CALLER);                                                    \
    }                                                                                                \
    int hd_##name(const char *s, const char *f, ...)                                                 \
    {                                                                                                \
        va_list ap;                                                                                  \
        va_start(ap, f);                                                                             \
        int done = scan(#vname, s, f, ap, HD_CALLER);                                                \
        va_end(ap);                                                                                  \
        return done;                                                                                 \
    }
SCAN(sscanf, vsscanf)
SCAN(__isoc99_sscanf, __isoc99_vsscanf)
