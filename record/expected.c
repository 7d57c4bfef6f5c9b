/* SPDX-License-Identifier: Apache-2.0 */
#include "record/expected.h"

#include <dlfcn.h>

#define KEPT 64

static struct expected { const volatile void *p; size_t size; const char *file, *reason; int line; } kept[KEPT];
static unsigned count;

static void mark(struct hd_thread *t, const struct expected *e, uint64_t pc)
{
    hd_access_mark(t, HD_EXPECT_RACE, (uint64_t)(uintptr_t)e->p, e->size ? e->size : 1, pc);
    hd_ring_text(t, HD_RING_NOTE, 0, (uint64_t)e->line, e->file ? e->file : "", e->reason ? e->reason : "");
}

void heddle_expect_race(const volatile void *p, size_t size, const char *file, int line, const char *reason)
{
    struct expected e = { p, size, file, reason, line };
    Dl_info info;
    if (hd_self)
        mark(hd_self, &e, HD_CALLER);
    else if (!hd_run.recording && count < KEPT && dladdr((const void *)p, &info))
        kept[count++] = e;
}

void hd_expected_begin(struct hd_thread *t)
{
    for (unsigned i = 0; i < count; i++)
        mark(t, &kept[i], 0);
}
