/* SPDX-License-Identifier: Apache-2.0 */
#include <link.h>
#include <linux/futex.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/owner.h"
#include "record/sync.h"

static bool parent_gone;

void hd_ring_wait(uint64_t head)
{
    struct hd_shared *s = hd_run.shared;
    int saved = errno;
    while (head - (hd_run.tail_seen = atomic_load(&s->tail)) >= HD_RING_ROOM && !parent_gone) {
        uint32_t seen = atomic_load(&s->tail_futex);
        if (head - atomic_load(&s->tail) < HD_RING_ROOM)
            continue;
        hd_ring_bell();
        struct timespec second = { 1, 0 };
        hd_run.ring_full = true;
        syscall(SYS_futex, &s->tail_futex, FUTEX_WAIT, seen, &second, NULL, 0);
        hd_run.ring_full = false;
        parent_gone = kill(s->parent_pid, 0) != 0 && errno == ESRCH;
    }
    errno = saved;
}

/* The slot at head is either free or the pending access of the thread with the baton: complete it. */
struct hd_record *hd_ring_slot(void)
{
    if (hd_self)
        hd_access_complete(hd_self);
    return &hd_run.ring[hd_ring_head() % HD_RING_RECORDS];
}

struct hd_record *hd_ring_append(struct hd_thread *t, unsigned kind)
{
    uint32_t stack = t && t->frames ? hd_stack_node(t) : 0;
    struct hd_record *r = hd_ring_slot();
    r->kind = (uint8_t)kind;
    r->size = 0;
    r->thread = t ? t->id : 0;
    r->stack = stack;
    r->pc_k = r->addr_k = r->value = 0;
    return r;
}

/* What orders accesses in every run, and what touches memory beside the plain accesses. */
void hd_ring_tell_owner(const struct hd_record *r)
{
    if (r->kind == HD_CREATE && r->value < hd_run.threads)
        hd_owner_created(hd_run.thread[r->thread], hd_run.thread[r->value]);
    else if (r->kind == HD_JOIN && r->value < hd_run.threads)
        hd_owner_joined(hd_run.thread[r->thread], hd_run.thread[r->value]);
    else if (hd_kind_is_atomic(r->kind))
        hd_owner_share(hd_record_address(r));
}

/* A fault for every page costs more than the records in it. */
void hd_ring_prepare(uint64_t head)
{
    int saved = errno;
    if (head < HD_RING_RECORDS)
        syscall(SYS_madvise, (uintptr_t)(hd_run.ring + head) & ~(uintptr_t)4095, HD_RING_STRETCH * sizeof *hd_run.ring,
                MADV_POPULATE_WRITE);
    errno = saved;
}

void hd_ring_publish(void)
{
    uint64_t head = atomic_load_explicit(&hd_run.shared->head, memory_order_relaxed);
    const struct hd_record *r = &hd_run.ring[head % HD_RING_RECORDS];
    if (r->kind != HD_READ && r->kind != HD_WRITE)
        hd_ring_tell_owner(r);
    hd_ring_advance(head);
}

void hd_ring_bell(void)
{
    uint64_t one = 1;
    int saved = errno;
    syscall(SYS_write, hd_run.shared->bell_fd, &one, sizeof one); /* no frame of libc's: see signal.c */
    errno = saved;
}

/* Two texts, joined by a newline, in the records that follow. */
void hd_ring_text(struct hd_thread *t, unsigned kind, uint64_t address, uint64_t value, const char *a, const char *b)
{
    char text[HD_TEXT_MAX] = "";
    size_t la = strnlen(a, HD_TEXT_MAX / 2 - 2), lb = strnlen(b, HD_TEXT_MAX / 2 - 2);
    memcpy(text, a, la);
    text[la] = '\n';
    memcpy(text + la + 1, b, lb);
    unsigned pieces = (unsigned)(la + lb + 2 + 31) / 32;
    struct hd_record *r = hd_ring_append(t, kind);
    r->size = (uint8_t)pieces;
    r->addr_k = address & HD_48;
    r->value = value;
    hd_ring_publish();
    for (unsigned i = 0; i < pieces; i++) {
        memcpy(hd_ring_append(t, kind), text + (size_t)32 * i, 32);
        hd_ring_advance(hd_ring_head()); /* text is no record */
    }
}

static int module_seen(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    bool *first = data;
    uint64_t low = UINT64_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        low = p->p_vaddr < low ? p->p_vaddr : low;
        high = p->p_vaddr + p->p_memsz > high ? p->p_vaddr + p->p_memsz : high;
    }
    if (high > low) {
        if (*first)
            hd_run.shared->main_base = info->dlpi_addr;
        hd_ring_text(NULL, HD_RING_MODULE, info->dlpi_addr, high, *first ? "" : info->dlpi_name, "");
    }
    *first = false;
    return 0;
}

void hd_ring_modules(void)
{
    bool first = true;
    dl_iterate_phdr(module_seen, &first);
}
