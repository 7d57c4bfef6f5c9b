/* SPDX-License-Identifier: Apache-2.0
 * What every interposed function answers. A case makes calls, right and wrong ones; R() notes the call, its
 * result and errno. Each case runs twice in a thread of its own: as it is, and with a cancellation pending, where
 * only the first call matters: was it a cancellation point? Nothing that is noted may differ from run to run. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <errno.h>
#include <stdio.h>

struct fixture { int file, readable, writable, socket[2], bad, listener; FILE *stream; char path[32]; };
extern struct fixture fix;

struct conformance_case { const char *name; void (*run)(void); };
extern const struct conformance_case threads_cases[], files_cases[], memory_cases[];

void note(const char *call, long result, int error);

#define R(call)                                                                                      \
    do {                                                                                             \
        errno = 99;                                                                                  \
        long result_ = (long)(call);                                                                 \
        note(#call, result_, errno);                                                                 \
    } while (0)
#define P(call) R((call) != NULL)

#endif
