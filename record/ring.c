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
#include "record/runtime.h"

/* The slot behind the last record is cleared when that is published, so it is never one still to be read. */
#define ROOM (HD_RING_RECORDS - 1)

static bool parent_gone;
static uint64_t tail_seen; /* the parent took at least these: its line is looked at only when that is not enough */

static void wait_for_room(struct hd_shared *s, uint64_t head)
{
    int saved = errno;
    while (head - (tail_seen = atomic_load(&s->tail)) >= ROOM && !parent_gone) {
        uint32_t seen = atomic_load(&s->tail_futex);
        if (head - atomic_load(&s->tail) < ROOM)
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
    struct hd_shared *s = hd_run.shared;
    if (hd_self)
        hd_access_complete(hd_self);
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
    if (__builtin_expect(head - tail_seen >= ROOM, 0))
        wait_for_room(s, head);
    return &hd_run.ring[head % HD_RING_RECORDS];
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
static void tell_owner(const struct hd_record *r)
{
    if (r->kind == HD_CREATE && r->value < hd_run.threads)
        hd_owner_created(hd_run.thread[r->thread], hd_run.thread[r->value]);
    else if (r->kind == HD_JOIN && r->value < hd_run.threads)
        hd_owner_joined(hd_run.thread[r->thread], hd_run.thread[r->value]);
    else if (hd_kind_is_atomic(r->kind))
        hd_owner_share(hd_record_address(r));
}

/* A fault for every page costs more than the records in it. */
#define MAPPED_AHEAD (HD_RING_RECORDS / 16)

static void map_ahead(uint64_t head)
{
    int saved = errno;
    if (head < HD_RING_RECORDS)
        syscall(SYS_madvise, (uintptr_t)(hd_run.ring + head) & ~(uintptr_t)4095, MAPPED_AHEAD * sizeof *hd_run.ring,
                MADV_POPULATE_WRITE);
    errno = saved;
}

static void advance(void)
{
    struct hd_shared *s = hd_run.shared;
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed) + 1;
    if (__builtin_expect(head % MAPPED_AHEAD == 0, 0))
        map_ahead(head);
    hd_run.ring[head % HD_RING_RECORDS].kind = HD_NONE;
    atomic_store_explicit(&s->head, head, memory_order_release);
    if (__builtin_expect(head % (HD_RING_RECORDS / 4) == 0, 0))
        hd_ring_bell();
}

void hd_ring_publish(void)
{
    const struct hd_record *r =
        &hd_run.ring[atomic_load_explicit(&hd_run.shared->head, memory_order_relaxed) % HD_RING_RECORDS];
    if (r->kind != HD_READ && r->kind != HD_WRITE)
        tell_owner(r);
    advance();
}

void hd_ring_sync(struct hd_thread *t, const struct hd_point *point, uint64_t value)
{
    struct hd_shared *s = hd_run.shared;
    uint32_t stack = t->frames ? t->frame[t->frames - 1].node : 0;
    if (t->frames && !stack)
        stack = hd_stack_node(t);
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
    if (__builtin_expect(head - tail_seen >= ROOM, 0))
        wait_for_room(s, head);
    struct hd_record *r = &hd_run.ring[head % HD_RING_RECORDS];
    *r = (struct hd_record){ .kind = (uint8_t)point->kind, .size = (uint8_t)point->size, .thread = t->id, .stack = stack,
                             .pc_k = point->pc & HD_48, .addr_k = point->object, .value = value };
    if (__builtin_expect(point->kind == HD_CREATE || point->kind == HD_JOIN, 0))
        tell_owner(r);
    advance();
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
        advance(); /* text is no record */
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
