/* SPDX-License-Identifier: Apache-2.0
 * Which call is to fail (configure --enable-fault-injection, only then compiled).
 *
 *   HEDDLE_FAULT=WHO:CALL:N    the N-th CALL fails; N+: it and all after it
 *   HEDDLE_FAULT_COUNT=FILE    where the calls are counted, 8 bytes each, first those that failed
 *
 * WHO is `tool` (heddle and its workers) or `test` (libheddle and the program under
 * test); each counts its own. All processes that name the same file count on in it,
 * also across fork, exec and any death, so a fault happens once in all of them.
 * Nothing here allocates, or calls what might be made to fail. */
#ifndef HD_FAULT_PLAN_H
#define HD_FAULT_PLAN_H

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum fault_call {
    FAULT_MALLOC, FAULT_MMAP, FAULT_WRITE, FAULT_OPEN, FAULT_PIPE, FAULT_RENAME, FAULT_TRUNCATE, FAULT_THREAD,
    FAULT_FORK, FAULT_CALLS
};

static const struct { const char *name; int error; } fault_kind[FAULT_CALLS] = {
    { "malloc", ENOMEM }, { "mmap", ENOMEM },   { "write", ENOSPC },     { "open", EMFILE },          { "pipe", EMFILE },
    { "rename", ENOSPC }, { "ftruncate", EIO }, { "pthread_create", EAGAIN }, { "fork", EAGAIN },
};

static struct {
    bool known, counts;
    unsigned call; /* FAULT_CALLS: none */
    uint64_t n;
    bool and_after;
    _Atomic uint64_t *failed; /* then the calls */
} fault_plan;

static bool fault_word(const char **text, const char *word)
{
    const char *at = *text;
    while (*word && *at == *word)
        at++, word++;
    if (*word)
        return false;
    *text = at;
    return true;
}

static const char *fault_variable(const char *name)
{
    for (char **entry = environ; *entry; entry++) {
        const char *at = *entry;
        if (fault_word(&at, name) && *at == '=')
            return at + 1;
    }
    return NULL;
}

static void fault_read(const char *text, const char *who)
{
    if (!text || !fault_word(&text, who) || !fault_word(&text, ":"))
        return;
    for (unsigned call = 0; call < FAULT_CALLS; call++) {
        const char *at = text;
        if (!fault_word(&at, fault_kind[call].name) || !fault_word(&at, ":"))
            continue;
        for (; *at >= '0' && *at <= '9'; at++)
            fault_plan.n = fault_plan.n * 10 + (uint64_t)(*at - '0');
        fault_plan.and_after = *at == '+';
        fault_plan.call = call;
    }
}

/* WHO's counters are a page each. */
static void fault_map(const char *path, long page)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    long p = syscall(SYS_ftruncate, fd, 8192L) == 0
                 ? syscall(SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page * 4096)
                 : -1;
    syscall(SYS_close, fd);
    if (p != -1)
        fault_plan.failed = (_Atomic uint64_t *)p;
}

/* Before the environment is there, in the dynamic linker, nothing is counted. */
static bool fault_counts(const char *who, long page)
{
    static _Atomic uint64_t alone[1 + FAULT_CALLS];
    if (fault_plan.known || !environ)
        return fault_plan.counts;
    int saved = errno;
    const char *count = fault_variable("HEDDLE_FAULT_COUNT"), *fault = fault_variable("HEDDLE_FAULT");
    fault_plan.known = true;
    fault_plan.counts = count || fault;
    fault_plan.call = FAULT_CALLS;
    fault_plan.failed = alone;
    fault_read(fault, who);
    if (count)
        fault_map(count, page);
    errno = saved;
    return fault_plan.counts;
}

/* A breakpoint here stops at the call that fails. */
__attribute__((noinline)) static bool fault_happens(enum fault_call call)
{
    atomic_fetch_add(fault_plan.failed, 1);
    errno = fault_kind[call].error;
    return true;
}

static bool fault_at(enum fault_call call, const char *who, long page)
{
    if (!fault_counts(who, page))
        return false;
    uint64_t n = atomic_fetch_add(fault_plan.failed + 1 + call, 1) + 1;
    bool now = call == fault_plan.call && (n == fault_plan.n || (fault_plan.and_after && n > fault_plan.n));
    return now && fault_happens(call);
}

#endif
