/* SPDX-License-Identifier: Apache-2.0
 * libheddle's own memcpy and the like; see own_libc.c. Callers use the plain
 * names, the linker does the rest. By these names only where the exported
 * function falls back on them before the real one is known. */
#ifndef HD_OWN_LIBC_H
#define HD_OWN_LIBC_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

void *__wrap_memcpy(void *, const void *, size_t);
void *__wrap_memmove(void *, const void *, size_t);
void *__wrap_memset(void *, int, size_t);
int __wrap_memcmp(const void *, const void *, size_t);
size_t __wrap_strlen(const char *);
size_t __wrap_strnlen(const char *, size_t);
int __wrap_strcmp(const char *, const char *);
int __wrap_strncmp(const char *, const char *, size_t);
char *__wrap_strncpy(char *, const char *, size_t);
char *__wrap_strchr(const char *, int);
ssize_t __wrap_write(int, const void *, size_t);
ssize_t __wrap_read(int, void *, size_t);
int __wrap_poll(struct pollfd *, nfds_t, int);
int __wrap_pause(void);
int __wrap_kill(pid_t, int);
int __wrap_fcntl(int, int, ...);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);
int __wrap_munmap(void *, size_t);
struct stat;
int __wrap_fstat(int, struct stat *);

#endif
