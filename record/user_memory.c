/* SPDX-License-Identifier: Apache-2.0 */
#include "record/user_memory.h"

#include <ctype.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned at_most(size_t a, size_t b)
{
    return (unsigned)(a < b ? a : b);
}

/* Bytes up to the next 8-byte boundary. */
static unsigned up(const void *p, size_t left)
{
    return at_most(8 - ((uintptr_t)p & 7), left);
}

void hd_user_load(struct hd_thread *t, void *to, const void *user, size_t size, uint64_t pc)
{
    for (size_t i = 0, n; i < size; i += n) {
        const char *at = (const char *)user + i;
        n = up(at, size - i);
        hd_access_one(t, at, (unsigned)n, HD_READ, pc);
        memcpy((char *)to + i, at, n);
    }
}

void hd_user_store(struct hd_thread *t, void *user, const void *from, size_t size, uint64_t pc)
{
    for (size_t i = 0, n; i < size; i += n) {
        char *at = (char *)user + i;
        n = up(at, size - i);
        hd_access_one(t, at, (unsigned)n, HD_WRITE, pc);
        memcpy(at, (const char *)from + i, n);
    }
}

void hd_user_set(struct hd_thread *t, void *user, int byte, size_t size, uint64_t pc)
{
    for (size_t i = 0, n; i < size; i += n) {
        char *at = (char *)user + i;
        n = up(at, size - i);
        hd_access_one(t, at, (unsigned)n, HD_WRITE, pc);
        memset(at, byte, n);
    }
}

/* Chunk by chunk, each loaded before any of it is stored. */
void hd_user_copy(struct hd_thread *t, void *to, const void *from, size_t size, uint64_t pc)
{
    char chunk[256], *a = to;
    const char *b = from;
    bool upwards = a <= b || a >= b + size;
    for (size_t done = 0, n; done < size; done += n) {
        n = at_most(sizeof chunk, size - done);
        size_t at = upwards ? done : size - done - n;
        hd_user_load(t, chunk, b + at, n, pc);
        hd_user_store(t, a + at, chunk, n, pc);
    }
}

/* How far the read goes is looked up first; what it finds is what it loaded after its event. */
size_t hd_user_scan(struct hd_thread *t, const char *s, size_t max, int c, uint64_t pc)
{
    for (size_t i = 0, n; i < max; i += n) {
        char value[8] = "";
        unsigned room = up(s + i, max - i);
        for (n = 1; n < room && s[i + n - 1] && s[i + n - 1] != (char)c; n++)
            ;
        hd_access_one(t, s + i, (unsigned)n, HD_READ, pc);
        memcpy(value, s + i, n);
        for (size_t j = 0; j < n; j++)
            if (!value[j] || value[j] == (char)c)
                return i + j;
    }
    return max;
}

static int folded(char c, enum hd_compare how)
{
    return how == HD_STRING_NOCASE ? tolower((unsigned char)c) : (unsigned char)c;
}

static bool goes_on(char a, char b, enum hd_compare how)
{
    return folded(a, how) == folded(b, how) && (how == HD_BYTES || a);
}

int hd_user_compare(struct hd_thread *t, const void *p, const void *q, size_t max, enum hd_compare how, uint64_t pc)
{
    const char *a = p, *b = q;
    for (size_t i = 0, n; i < max; i += n) {
        char x[8], y[8];
        unsigned room = at_most(up(a + i, max - i), up(b + i, max - i));
        for (n = 1; n < room && goes_on(a[i + n - 1], b[i + n - 1], how); n++)
            ;
        hd_access_one(t, a + i, (unsigned)n, HD_READ, pc);
        memcpy(x, a + i, n);
        hd_access_one(t, b + i, (unsigned)n, HD_READ, pc);
        memcpy(y, b + i, n);
        for (size_t j = 0; j < n; j++)
            if (!goes_on(x[j], y[j], how))
                return folded(x[j], how) - folded(y[j], how);
    }
    return 0;
}

/* The kernel reads the new mask before it looks at `how`: EFAULT tells that the page is not there. */
static bool is_mapped(uintptr_t p)
{
    const uintptr_t word = p & ~(uintptr_t)7;
    int saved = errno;
    bool mapped = syscall(SYS_rt_sigprocmask, -1, word, NULL, 8) == 0 || errno != EFAULT;
    errno = saved;
    return mapped && word;
}

bool hd_user_mapped(uintptr_t user, size_t size)
{
    return size == 0 || (is_mapped(user) && is_mapped(user + size - 1));
}

#define BOUNCE_SURELY ((size_t)1 << 30)

bool hd_bounce_make(struct hd_bounce *b, size_t size)
{
    b->at = b->small;
    b->size = size;
    if (size <= sizeof b->small)
        return true;
    int saved = errno;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED && size < BOUNCE_SURELY)
        hd_exhausted(); /* else the call would go unseen */
    errno = saved;
    b->at = p == MAP_FAILED ? NULL : p;
    return b->at != NULL;
}

bool hd_bounce_take(struct hd_bounce *b, uintptr_t user, size_t size)
{
    b->at = NULL;
    return hd_user_mapped(user, size) && hd_bounce_make(b, size);
}

void hd_bounce_drop(struct hd_bounce *b)
{
    int saved = errno;
    if (b->at && b->at != b->small)
        munmap(b->at, b->size);
    b->at = NULL;
    errno = saved;
}
