/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

int hd_usage_error(const char *command, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "heddle %s: ", command);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return 2;
}

const char *hd_outcome_word(unsigned outcome)
{
    static const char *const words[] = {"unknown",    "passed",    "assertion failed", "crashed", "exited",
                                        "deadlocked", "timed out", "killed"};
    return outcome < sizeof words / sizeof *words ? words[outcome] : "unknown";
}
