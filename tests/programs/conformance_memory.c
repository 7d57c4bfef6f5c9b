/* SPDX-License-Identifier: Apache-2.0
 * Functions without a system call: what they answer where it is not the common case. */
#define _GNU_SOURCE
#include "conformance.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int __vsprintf_chk(char *, int, size_t, const char *, va_list);
char *__strdup(const char *), *__strndup(const char *, size_t), *__strtok_r(char *, const char *, char **);
void *__memmove_chk(void *, const void *, size_t, size_t), *__mempcpy_chk(void *, const void *, size_t, size_t);
char *__stpncpy_chk(char *, const char *, size_t, size_t), *__strncpy_chk(char *, const char *, size_t, size_t);

static char *volatile huge_kept;

static void allocations(void)
{
    void *p = NULL;
    volatile size_t huge = SIZE_MAX / 2, many = SIZE_MAX / 4;
    P(huge_kept = malloc(huge));
    P(huge_kept = calloc(many, 16));
    P(huge_kept = realloc(NULL, huge));
    P(huge_kept = reallocarray(NULL, many, 16));
    R(posix_memalign(&p, 3, 8));
    R(posix_memalign(&p, 64, 8));
    R((uintptr_t)p % 64);
    free(p);
    P(p = memalign(64, 8));
    free(p);
    P(p = aligned_alloc(64, 64));
    free(p);
    errno = 99;
    free(malloc(5));
    R(errno);
}

static void numbers(void)
{
    char *end;
    R(strtol("99999999999999999999", &end, 10));
    R(strtoul("-1", &end, 10) == ~0ul);
    R(strtol("x", &end, 10));
    R(strtol("7", &end, 99));
    R(strtoll("0x7f", &end, 0));
    R(strtoull("99999999999999999999", NULL, 10) == ~0ull);
    R(strtod("1e999", &end) > 1e300);
    R(strtof("1e99", &end) > 1e30f);
    R(strtof("2.5z", &end) * 2 == 5);
    R(*end);
    R(atoi("12x"));
    R(atol("-3"));
    R(atoll("4"));
    R(atof("0.5") == 0.5);
}

static void strings(void)
{
    char text[32] = "abcabc", other[32] = "", *save = NULL, *copy;
    R(strncmp(text, "abd", 2));
    R(strncmp(text, "abd", 3) < 0);
    R(bcmp(text, "abx", 3) != 0);
    R(index(text, 'c') - text);
    R(rindex(text, 'c') - text);
    bcopy(text, other, 3);
    R(other[2]);
    bzero(other, 2);
    R(other[0]);
    explicit_bzero(other, 3);
    R(other[2]);
    R((char *)mempcpy(other, text, 4) - other);
    P(copy = __strdup(text));
    free(copy);
    P(copy = __strndup(text, 2));
    R(copy[2]);
    free(copy);
    P(__strtok_r(text, "b", &save));
    R(strcmp(text, "a"));
    R((char *)__memmove_chk(other, other + 1, 4, sizeof other) == other);
    R((char *)__mempcpy_chk(other, "xyz", 4, sizeof other) - other);
    R(__stpncpy_chk(other, "xyz", 2, sizeof other) - other);
    P(__strncpy_chk(other, "xyz", 6, sizeof other));
    R(other[5]);
}

static void dates(void)
{
    time_t at = 86400 * 365, huge = (time_t)1 << 62;
    struct tm *parts;
    P(parts = gmtime(&at));
    R(parts->tm_year);
    R(strcmp(asctime(parts), "Fri Jan  1 00:00:00 1971\n"));
    P(localtime(&at));
    P(gmtime(&huge));
    P(localtime(&huge));
    P(ctime(&at));
    P(ctime(&huge));
}

static int format(char *to, int which, const char *pattern, ...)
{
    va_list ap;
    char *made = NULL;
    int result = 0;
    va_start(ap, pattern);
    if (which == 0)
        result = vsprintf(to, pattern, ap);
    else if (which == 1)
        result = vasprintf(&made, pattern, ap);
    else if (which == 2)
        result = __vsprintf_chk(to, 1, 64, pattern, ap);
    else
        result = vsscanf(to, pattern, ap);
    va_end(ap);
    free(made);
    return result;
}

int plain_sscanf(const char *, const char *, ...) __asm__("sscanf");
int plain_vsscanf(const char *, const char *, va_list) __asm__("vsscanf");

static int parse_plain(const char *text, const char *pattern, ...)
{
    va_list ap;
    va_start(ap, pattern);
    int result = plain_vsscanf(text, pattern, ap);
    va_end(ap);
    return result;
}

static void formats(void)
{
    char text[64];
    int value = 0;
    R(format(text, 0, "%d-%s", 5, "x"));
    R(strcmp(text, "5-x"));
    R(format(text, 1, "%05d", 7));
    R(format(text, 2, "%c", 'q'));
    R(snprintf(text, 3, "%s", "longer"));
    R(text[2]);
    strcpy(text, "42 z");
    R(format(text, 3, "%d", &value));
    R(value);
    R(plain_sscanf("17", "%d", &value));
    R(value);
    R(parse_plain("18", "%d", &value));
    R(value);
    R(sscanf("", "%d", &value));
}

static jmp_buf place;
static sigjmp_buf signal_place;
void plain_longjmp(jmp_buf, int) __asm__("longjmp") __attribute__((noreturn));

static void jumps(void)
{
    volatile int came = setjmp(place);
    if (came < 2)
        longjmp(place, came + 1);
    R(came);
    came = _setjmp(place);
    if (came == 0)
        _longjmp(place, 5);
    R(came);
    came = setjmp(place);
    if (came == 0)
        plain_longjmp(place, 0);
    R(came);
    came = sigsetjmp(signal_place, 1);
    if (came == 0)
        siglongjmp(signal_place, 7);
    R(came);
}

static void mappings(void)
{
    char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    R(p != MAP_FAILED);
    R(mprotect(p, 4096, PROT_READ));
    R(mprotect(p + 1, 4096, PROT_READ));
    R(madvise(p, 4096, MADV_DONTNEED));
    R(madvise(p, 4096, 9999));
    p = mremap(p, 8192, 16384, MREMAP_MAYMOVE);
    R(p != MAP_FAILED);
    R(munmap(p, 16384));
    R(munmap(p + 1, 4096));
    R(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    R(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED);
}

const struct conformance_case memory_cases[] = {
    { "allocations", allocations }, { "numbers", numbers }, { "strings", strings }, { "dates", dates }, { "formats", formats },
    { "jumps", jumps }, { "mappings", mappings }, { NULL, NULL },
};
