/* SPDX-License-Identifier: Apache-2.0 */
#include "record/output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/memory.h"

int hd_output_open(struct hd_kept_output *o)
{
    o->fd = memfd_create("heddle-output", MFD_CLOEXEC);
    o->dropped = HD_OUTPUT_KEPT;
    return o->fd < 0 ? -1 : fcntl(o->fd, F_SETFL, O_APPEND);
}

void hd_output_close(struct hd_kept_output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
}

static uint64_t size_of(const struct hd_kept_output *o)
{
    struct stat st;
    return o->fd >= 0 && fstat(o->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

void hd_output_bound(struct hd_kept_output *o)
{
    uint64_t size = size_of(o);
    if (size < o->dropped + (1u << 20))
        return;
    uint64_t until = size & ~4095ull;
    if (fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)o->dropped, (off_t)(until - o->dropped)) == 0)
        o->dropped = until;
}

void hd_output_take(const struct hd_kept_output *o, struct hd_text *text)
{
    if (o->fd < 0)
        return;
    text->total = size_of(o);
    text->bytes = hd_alloc(HD_OUTPUT_KEPT + 1);
    ssize_t got = pread(o->fd, text->bytes, HD_OUTPUT_KEPT, 0);
    text->size = got > 0 ? (size_t)got : 0;
}
