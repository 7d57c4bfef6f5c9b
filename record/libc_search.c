/* SPDX-License-Identifier: Apache-2.0
 * Searching in strings, and taking them apart. Where the real function does the
 * search, its reads are recorded before it, up to what it will look at. */
#include <string.h>

#include "record/own_libc.h"
#include "record/user_memory.h"

static char *found(const char *s, size_t at) { return (char *)(uintptr_t)(s + at); }

static char *first(struct hd_thread *t, const char *s, int c, uint64_t pc)
{
    size_t at = hd_user_scan(t, s, SIZE_MAX, c, pc);
    return s[at] == (char)c ? found(s, at) : NULL;
}

static char *last(struct hd_thread *t, const char *s, int c, uint64_t pc)
{
    size_t n = hd_user_length(t, s, pc) + 1;
    while (n && s[n - 1] != (char)c)
        n--;
    return n ? found(s, n - 1) : NULL;
}

#define SEARCH(name, how)                                                                            \
    HD_EXPORT char *name(const char *s, int c)                                                       \
    {                                                                                                \
        struct hd_thread *t = hd_recorder();                                                         \
        return t ? how(t, s, c, HD_CALLER) : HD_REAL(name)(s, c);                                    \
    }
SEARCH(strchr, first)
SEARCH(index, first)
SEARCH(strrchr, last)
SEARCH(rindex, last)

HD_EXPORT char *strchrnul(const char *s, int c)
{
    struct hd_thread *t = hd_recorder();
    return t ? found(s, hd_user_scan(t, s, SIZE_MAX, c, HD_CALLER)) : HD_REAL(strchrnul)(s, c);
}

typedef char *find_fn(const char *, const char *);

static char *find_text(struct hd_thread *t, find_fn *real, const char *s, const char *wanted, uint64_t pc)
{
    const char *at = real(s, wanted);
    size_t length = hd_user_length(t, wanted, pc);
    hd_access_range(t, s, at ? (size_t)(at - s) + length : __wrap_strlen(s) + 1, HD_READ, pc);
    return real(s, wanted);
}

HD_EXPORT char *strstr(const char *s, const char *wanted)
{
    struct hd_thread *t = hd_recorder();
    find_fn *real = HD_REAL(strstr);
    return t ? find_text(t, real, s, wanted, HD_CALLER) : real(s, wanted);
}

HD_EXPORT char *strcasestr(const char *s, const char *wanted)
{
    struct hd_thread *t = hd_recorder();
    find_fn *real = HD_REAL(strcasestr);
    return t ? find_text(t, real, s, wanted, HD_CALLER) : real(s, wanted);
}

/* -------------------------------------------------------------------- spans */

typedef size_t span_fn(const char *, const char *);

static span_fn *real_strspn(void) { return HD_REAL(strspn); }
static span_fn *real_strcspn(void) { return HD_REAL(strcspn); }

static size_t span(struct hd_thread *t, span_fn *real, const char *s, const char *set, uint64_t pc)
{
    if (!t)
        return real(s, set);
    hd_user_length(t, set, pc);
    hd_access_range(t, s, real(s, set) + 1, HD_READ, pc);
    return real(s, set);
}

HD_EXPORT size_t strspn(const char *s, const char *set) { return span(hd_recorder(), real_strspn(), s, set, HD_CALLER); }
HD_EXPORT size_t strcspn(const char *s, const char *set) { return span(hd_recorder(), real_strcspn(), s, set, HD_CALLER); }

HD_EXPORT char *strpbrk(const char *s, const char *set)
{
    size_t n = span(hd_recorder(), real_strcspn(), s, set, HD_CALLER);
    return s[n] ? found(s, n) : NULL;
}

/* --------------------------------------------------------------- taking apart */

static void put_pointer(struct hd_thread *t, char **place, char *value, uint64_t pc)
{
    if (t)
        hd_user_store(t, place, &value, sizeof value, pc);
    else
        *place = value;
}

static char *get_pointer(struct hd_thread *t, char **place, uint64_t pc)
{
    char *value = *place;
    if (t)
        hd_user_load(t, &value, place, sizeof value, pc);
    return value;
}

static void cut(struct hd_thread *t, char *at, uint64_t pc)
{
    if (t)
        hd_user_set(t, at, 0, 1, pc);
    else
        *at = 0;
}

static char *token(struct hd_thread *t, char *s, const char *set, char **rest, uint64_t pc)
{
    if (!s)
        s = get_pointer(t, rest, pc);
    if (!s)
        return NULL;
    s += span(t, real_strspn(), s, set, pc);
    char *end = s + span(t, real_strcspn(), s, set, pc);
    char *result = *s ? s : NULL;
    if (*end)
        cut(t, end++, pc);
    put_pointer(t, rest, end, pc);
    return result;
}

HD_EXPORT char *strtok_r(char *s, const char *set, char **rest) { return token(hd_recorder(), s, set, rest, HD_CALLER); }

HD_EXPORT char *__strtok_r(char *s, const char *set, char **rest);
char *__strtok_r(char *s, const char *set, char **rest) { return token(hd_recorder(), s, set, rest, HD_CALLER); }

/* The one place it keeps for all threads is the program's memory, and racy. */
HD_EXPORT char *strtok(char *s, const char *set)
{
    static char *rest;
    return token(hd_recorder(), s, set, &rest, HD_CALLER);
}

HD_EXPORT char *strsep(char **place, const char *set)
{
    struct hd_thread *t = hd_recorder();
    uint64_t pc = HD_CALLER;
    char *s = get_pointer(t, place, pc);
    if (!s)
        return NULL;
    char *end = s + span(t, real_strcspn(), s, set, pc);
    if (*end)
        cut(t, end++, pc);
    else
        end = NULL;
    put_pointer(t, place, end, pc);
    return s;
}
