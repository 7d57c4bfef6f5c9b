/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bool hd_output_lost(const char *command, bool said)
{
    errno = 0;
    bool failed = fflush(stdout) != 0, lost = failed || ferror(stdout);
    if (lost && !said)
        hd_usage_error(command, "standard output: %s", failed && errno ? strerror(errno) : "it could not be written");
    return lost;
}

const char *hd_outcome_word(unsigned outcome)
{
    static const char *const words[] = {"unknown",    "passed",    "assertion failed", "crashed", "exited",
                                        "deadlocked", "timed out", "killed"};
    return outcome < sizeof words / sizeof *words ? words[outcome] : "unknown";
}
