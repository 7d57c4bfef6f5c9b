/* SPDX-License-Identifier: Apache-2.0
 * Functions of libc that answer in a buffer of their own, one for all threads. The
 * answer is made aside and carried over as a write to that buffer. Where it is, the
 * first answer tells: what was there before is nobody's. */
#include <time.h>

#include "record/user_memory.h"

#define TEXT_SIZE 26 /* of asctime's answer: "Sun Sep 16 01:03:52 1973\n" */

typedef struct tm *broken_down_fn(const time_t *);
typedef struct tm *broken_down_r_fn(const time_t *, struct tm *);

static struct tm *broken_down(struct hd_thread *self, broken_down_fn *real, broken_down_r_fn *real_r,
                              const time_t *when, uint64_t pc)
{
    static struct tm *buffer; /* one for both */
    struct tm answer, *made;
    time_t at;
    hd_user_load(self, &at, when, sizeof at, pc);
    self->inside++;
    if (!buffer)
        buffer = real(&at);
    made = real_r(&at, &answer);
    self->inside--;
    if (made && buffer)
        hd_user_store(self, buffer, &answer, sizeof answer, pc);
    return made ? buffer : NULL;
}

static char *in_text(struct hd_thread *self, const struct tm *tm, uint64_t pc)
{
    static char *buffer;
    char answer[TEXT_SIZE * 4], *made;
    size_t size = 0;
    self->inside++;
    if (!buffer)
        buffer = HD_REAL(asctime)(tm);
    made = HD_REAL(asctime_r)(tm, answer);
    self->inside--;
    while (made && size < sizeof answer && answer[size++])
        ;
    if (made && buffer)
        hd_user_store(self, buffer, answer, size, pc);
    return made ? buffer : NULL;
}

HD_EXPORT struct tm *gmtime(const time_t *when)
{
    struct hd_thread *self = hd_recorder();
    return self ? broken_down(self, HD_REAL(gmtime), HD_REAL(gmtime_r), when, HD_CALLER) : HD_REAL(gmtime)(when);
}

HD_EXPORT struct tm *localtime(const time_t *when)
{
    struct hd_thread *self = hd_recorder();
    return self ? broken_down(self, HD_REAL(localtime), HD_REAL(localtime_r), when, HD_CALLER)
                : HD_REAL(localtime)(when);
}

HD_EXPORT char *asctime(const struct tm *tm)
{
    struct hd_thread *self = hd_recorder();
    struct tm at;
    if (!self)
        return HD_REAL(asctime)(tm);
    hd_user_load(self, &at, tm, sizeof at, HD_CALLER);
    return in_text(self, &at, HD_CALLER);
}

/* As specified: asctime(localtime(when)), with both buffers. */
HD_EXPORT char *ctime(const time_t *when)
{
    struct hd_thread *self = hd_recorder();
    struct tm at, *tm;
    if (!self)
        return HD_REAL(ctime)(when);
    tm = broken_down(self, HD_REAL(localtime), HD_REAL(localtime_r), when, HD_CALLER);
    if (!tm)
        return HD_REAL(asctime)(NULL); /* which says why in errno */
    hd_user_load(self, &at, tm, sizeof at, HD_CALLER);
    return in_text(self, &at, HD_CALLER);
}
