/* SPDX-License-Identifier: Apache-2.0
 * The user's memory, touched on the user's behalf.
 *
 * What libc and the kernel do to the user's memory is recorded as if the user's
 * own code had done it: in pieces of at most 8 bytes, none across an 8-byte
 * boundary, each an access with its value. While a test is recorded the
 * interposed functions therefore do their work themselves, here, one piece at a
 * time: the event, then the bytes. A schedule can so stop in front of any piece,
 * and whatever was loaded is what the event says, even if others run before the
 * next piece.
 *
 *   functions of memory   memcpy, strcmp: made of the calls below
 *   functions that fill   snprintf, read: the real function fills a bounce, memory
 *                         that nobody else sees; hd_user_store carries it over
 *   functions that take   write, fwrite: hd_user_load takes a copy into a bounce
 *                         for the real function
 *
 * So nothing that happens without the baton touches the user's memory.
 *
 * Whose calls: all that come through the dynamic linker, thus the user's and
 * those of other libraries (it is the user's memory they touch), but not libc's
 * calls to itself, not libheddle's (record/own_libc.c), and nothing while the
 * thread is `inside`, as it is in CUnit. */
#ifndef HD_USER_MEMORY_H
#define HD_USER_MEMORY_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include "record/runtime.h"

/* The real function behind an interposed name; libc's own calls never come here, so dlsym does not recurse. */
#define HD_REAL(name)                                                                                \
    ({                                                                                               \
        static __typeof__(name) *real_##name;                                                        \
        if (!real_##name)                                                                            \
            real_##name = (__typeof__(name) *)hd_real(#name);                                        \
        real_##name;                                                                                 \
    })

/* All need the baton and may switch. */
void hd_user_load(struct hd_thread *, void *to, const void *user, size_t size, uint64_t pc);
void hd_user_store(struct hd_thread *, void *user, const void *from, size_t size, uint64_t pc);
void hd_user_copy(struct hd_thread *, void *to, const void *from, size_t size, uint64_t pc); /* may overlap */
void hd_user_set(struct hd_thread *, void *user, int byte, size_t size, uint64_t pc);

/* Reads up to and including the first NUL or `c`, at most `max` bytes; its index, or max. */
size_t hd_user_scan(struct hd_thread *, const char *, size_t max, int c, uint64_t pc);
static inline size_t hd_user_length(struct hd_thread *t, const char *s, uint64_t pc)
{
    return hd_user_scan(t, s, SIZE_MAX, 0, pc);
}

/* The difference of the first two bytes that differ once folded; a string ends at its NUL. */
enum hd_compare { HD_BYTES, HD_STRING, HD_STRING_NOCASE };
int hd_user_compare(struct hd_thread *, const void *, const void *, size_t max, enum hd_compare, uint64_t pc);

/* Memory for the real function to fill or to take from. */
struct hd_bounce {
    char *at;
    size_t size;
    char small[1024];
};

/* False: the user's pages are not there, or there is no memory. Then let the real
 * function have the user's memory and say what is wrong with it. */
bool hd_bounce_take(struct hd_bounce *, uintptr_t user, size_t size);
bool hd_bounce_make(struct hd_bounce *, size_t size);
bool hd_user_mapped(uintptr_t user, size_t size);
void hd_bounce_drop(struct hd_bounce *);

/* libc_parse.c: what scanf has just stored, by its format and how many it counted. */
void hd_scanned(struct hd_thread *, const char *format, int done, va_list, uint64_t pc);

#endif
