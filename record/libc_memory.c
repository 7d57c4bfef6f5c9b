/* SPDX-License-Identifier: Apache-2.0
 * memcpy and its family. They are called by everybody, also before any
 * constructor has run: until the real ones are known, and they are looked up by
 * our constructor, own_libc.c does the work. */
#include <string.h>
#include <strings.h>

#include "record/own_libc.h"
#include "record/user_memory.h"

void __chk_fail(void) __attribute__((noreturn));

static void *(*real_memcpy)(void *, const void *, size_t) = __wrap_memcpy;
static void *(*real_memmove)(void *, const void *, size_t) = __wrap_memmove;
static void *(*real_memset)(void *, int, size_t) = __wrap_memset;
static int (*real_memcmp)(const void *, const void *, size_t) = __wrap_memcmp;

__attribute__((constructor(101))) static void find_real(void)
{
    real_memcpy = (__typeof__(real_memcpy))hd_real("memcpy");
    real_memmove = (__typeof__(real_memmove))hd_real("memmove");
    real_memset = (__typeof__(real_memset))hd_real("memset");
    real_memcmp = (__typeof__(real_memcmp))hd_real("memcmp");
}

static inline void *copy(void *to, const void *from, size_t size, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    if (__builtin_expect(!t, 1))
        return real_memcpy(to, from, size);
    hd_user_copy(t, to, from, size, pc);
    return to;
}

static inline void *move(void *to, const void *from, size_t size, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    if (__builtin_expect(!t, 1))
        return real_memmove(to, from, size);
    hd_user_copy(t, to, from, size, pc);
    return to;
}

static inline void *set(void *to, int byte, size_t size, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    if (__builtin_expect(!t, 1))
        return real_memset(to, byte, size);
    hd_user_set(t, to, byte, size, pc);
    return to;
}

static inline int compare(const void *a, const void *b, size_t size, uint64_t pc)
{
    struct hd_thread *t = hd_recorder();
    if (__builtin_expect(!t, 1))
        return real_memcmp(a, b, size);
    return hd_user_compare(t, a, b, size, HD_BYTES, pc);
}

HD_EXPORT void *memcpy(void *to, const void *from, size_t n) { return copy(to, from, n, HD_CALLER); }
HD_EXPORT void *memmove(void *to, const void *from, size_t n) { return move(to, from, n, HD_CALLER); }
HD_EXPORT void *memset(void *to, int byte, size_t n) { return set(to, byte, n, HD_CALLER); }
HD_EXPORT int memcmp(const void *a, const void *b, size_t n) { return compare(a, b, n, HD_CALLER); }
HD_EXPORT int bcmp(const void *a, const void *b, size_t n) { return compare(a, b, n, HD_CALLER); }
HD_EXPORT void bcopy(const void *from, void *to, size_t n) { move(to, from, n, HD_CALLER); }
HD_EXPORT void bzero(void *to, size_t n) { set(to, 0, n, HD_CALLER); }
HD_EXPORT void explicit_bzero(void *to, size_t n) { set(to, 0, n, HD_CALLER); }

HD_EXPORT void *mempcpy(void *to, const void *from, size_t n)
{
    return (char *)copy(to, from, n, HD_CALLER) + n;
}

/* Newer compilers call these for the copies they make themselves. */
#define TSAN(name, type) HD_EXPORT void *__tsan_##name(void *, type, size_t)
TSAN(memcpy, const void *);
TSAN(memmove, const void *);
TSAN(memset, int);
void *__tsan_memcpy(void *to, const void *from, size_t n) { return copy(to, from, n, HD_CALLER); }
void *__tsan_memmove(void *to, const void *from, size_t n) { return move(to, from, n, HD_CALLER); }
void *__tsan_memset(void *to, int byte, size_t n) { return set(to, byte, n, HD_CALLER); }

#define CHECKED(name, type)                                                                          \
    HD_EXPORT void *__##name##_chk(void *, type, size_t, size_t);                                    \
    void *__##name##_chk
CHECKED(memcpy, const void *)(void *to, const void *from, size_t n, size_t room)
{
    return room < n ? (__chk_fail(), NULL) : copy(to, from, n, HD_CALLER);
}
CHECKED(memmove, const void *)(void *to, const void *from, size_t n, size_t room)
{
    return room < n ? (__chk_fail(), NULL) : move(to, from, n, HD_CALLER);
}
CHECKED(mempcpy, const void *)(void *to, const void *from, size_t n, size_t room)
{
    return room < n ? (__chk_fail(), NULL) : (char *)copy(to, from, n, HD_CALLER) + n;
}
CHECKED(memset, int)(void *to, int byte, size_t n, size_t room)
{
    return room < n ? (__chk_fail(), NULL) : set(to, byte, n, HD_CALLER);
}

/* ------------------------------------------------------------------ search */

static const char *find(struct hd_thread *t, const char *s, int c, size_t size, uint64_t pc)
{
    const char *limit = s;
    size_t left = size;
    while (left && *limit != (char)c)
        limit++, left--;
    size_t n = size - left + (left != 0);
    for (size_t i = 0; i < n;) {
        char value[8];
        size_t piece = 8 - ((uintptr_t)(s + i) & 7);
        piece = piece < n - i ? piece : n - i;
        hd_user_load(t, value, s + i, piece, pc);
        for (size_t j = 0; j < piece; j++)
            if (value[j] == (char)c)
                return s + i + j;
        i += piece;
    }
    return NULL;
}

HD_EXPORT void *memchr(const void *s, int c, size_t size)
{
    struct hd_thread *t = hd_recorder();
    return t ? (void *)(uintptr_t)find(t, s, c, size, HD_CALLER) : HD_REAL(memchr)(s, c, size);
}

HD_EXPORT void *rawmemchr(const void *s, int c)
{
    struct hd_thread *t = hd_recorder();
    return t ? (void *)(uintptr_t)find(t, s, c, SIZE_MAX, HD_CALLER) : HD_REAL(rawmemchr)(s, c);
}

HD_EXPORT void *memrchr(const void *s, int c, size_t size)
{
    struct hd_thread *t = hd_recorder();
    const char *at = HD_REAL(memrchr)(s, c, size);
    if (!t)
        return (void *)(uintptr_t)at;
    const char *low = at ? at : s;
    hd_access_range(t, low, (size_t)((const char *)s + size - low), HD_READ, HD_CALLER);
    return HD_REAL(memrchr)(s, c, size);
}

HD_EXPORT void *memmem(const void *s, size_t size, const void *wanted, size_t length)
{
    struct hd_thread *t = hd_recorder();
    if (!t)
        return HD_REAL(memmem)(s, size, wanted, length);
    const char *at = HD_REAL(memmem)(s, size, wanted, length);
    hd_access_range(t, wanted, length, HD_READ, HD_CALLER);
    hd_access_range(t, s, at ? (size_t)(at - (const char *)s) + length : size, HD_READ, HD_CALLER);
    return HD_REAL(memmem)(s, size, wanted, length);
}
