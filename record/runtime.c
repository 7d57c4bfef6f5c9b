/* SPDX-License-Identifier: Apache-2.0 */
#include "record/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hd_runtime hd_run;
__thread struct hd_thread *hd_self;
__thread bool hd_known;

void *hd_real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void hd_exhausted(void)
{
    if (!hd_run.shared)
        abort();
    hd_run.shared->exhausted = errno ? errno : ENOMEM;
    syscall(SYS_exit_group, 2);
    __builtin_trap();
}

void *hd_arena(size_t bytes)
{
    static char *chunk;
    static size_t left;
    bytes = (bytes + 63) & ~(size_t)63;
    if (bytes > left) {
        left = bytes > (1u << 20) ? bytes : 1u << 20;
        chunk = mmap(NULL, left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk == MAP_FAILED)
            hd_exhausted();
    }
    void *p = chunk;
    chunk += bytes;
    left -= bytes;
    return p;
}

static bool shared_is_sound(const struct hd_shared *s, uint64_t mapped)
{
    return s->magic == HD_SHARED_MAGIC && s->mapped <= mapped && s->ring_offset < s->mapped &&
           s->mapped - s->ring_offset >= (uint64_t)HD_RING_RECORDS * sizeof(struct hd_record);
}

/* It is said in the file, then: a program that ran unrecorded would look like one without tests. */
static void not_mapped(int fd)
{
    int32_t why = errno;
    uint64_t magic = 0;
    if (syscall(SYS_pread64, fd, &magic, sizeof magic, 0L) != sizeof magic || magic != HD_SHARED_MAGIC)
        return;
    if (syscall(SYS_pwrite64, fd, &why, sizeof why, (long)offsetof(struct hd_shared, exhausted)) == sizeof why)
        syscall(SYS_exit_group, 2);
}

static struct hd_shared *shared_map(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < (off_t)sizeof(struct hd_shared))
        return NULL;
    void *p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        not_mapped(fd);
    if (p == MAP_FAILED)
        return NULL;
    if (shared_is_sound(p, (uint64_t)size))
        return p;
    munmap(p, (size_t)size);
    return NULL;
}

__attribute__((constructor(101))) static void runtime_start(void)
{
    const char *text = getenv("HEDDLE_FD"), *mode = getenv("HEDDLE");
    hd_run.noise = mode && strcmp(mode, "noise") == 0;
    if (!text)
        return;
    int fd = atoi(text); /* NOLINT(cert-err34-c): what is no descriptor of ours is refused below */
    unsetenv("HEDDLE_FD");
    if (mode && (strcmp(mode, "off") == 0 || hd_run.noise))
        return;
    struct hd_shared *shared = fd > 2 ? shared_map(fd) : NULL;
    if (!shared)
        return;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(shared->bell_fd, F_SETFD, FD_CLOEXEC);
    hd_run.shared = shared;
    hd_run.shared_fd = fd;
    hd_run.ring = (struct hd_record *)((char *)shared + shared->ring_offset);
    hd_run.policy = shared->mode == HD_MODE_REPLAY ? &hd_witness_policy
                    : shared->priorities           ? &hd_pct_policy
                                                   : &hd_run_policy;
}
