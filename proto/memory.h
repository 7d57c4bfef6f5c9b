/* SPDX-License-Identifier: Apache-2.0
 * Memory of the tools (not of libheddle): out of memory ends the command with
 * one line and exit 2, so callers never test for NULL. */
#ifndef HD_MEMORY_H
#define HD_MEMORY_H

#include <stddef.h>

__attribute__((noreturn)) void hd_out_of_memory(void);

/* Called at the command's end, also where that is out of memory: it allocates nothing. At most 4. */
void hd_at_end(void (*)(void));

/* Where errno says that the machine, not the file, is why `what` could not be had: ends the
 * command. For what may be absent, that without it the result is not silently another. */
void hd_end_if_exhausted(const char *what);

void *hd_alloc(size_t bytes);                       /* zeroed */
void *hd_realloc(void *p, size_t count, size_t size); /* overflow checked */
char *hd_strdup(const char *s);                     /* NULL gives "" */
char *hd_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Bytes that what one file holds may take when it is read: a third of the memory there is, or of the limit on it. */
size_t hd_memory_for_file(void);

/* Grows `array` so that index `used` fits. */
#define HD_GROW(array, used, room)                                                                   \
    do {                                                                                             \
        if ((used) >= (room)) {                                                                      \
            (room) = (room) ? (room) * 2 : 16;                                                       \
            (array) = hd_realloc((array), (room), sizeof *(array));                                  \
        }                                                                                            \
    } while (0)

#endif
