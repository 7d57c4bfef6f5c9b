/* SPDX-License-Identifier: Apache-2.0 */
#include "record/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096

/* What a shell or a debugger sets anew each time; heddle_gdb.py takes the latter away. */
static bool is_transient(const char *entry)
{
    static const char *const names[] = { "LINES=", "COLUMNS=", "HEDDLE_GDB_FOLDER=" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void hd_environment_settle(const char *program)
{
    char pad[PAGE + 1];
    size_t bytes = strlen(program) + 1 + sizeof "HEDDLE_PAD=";
    unsetenv("_");
    unsetenv("HEDDLE_PAD");
    for (char **entry = environ; entry && *entry; entry++)
        if (!is_transient(*entry))
            bytes += strlen(*entry) + 1;
    size_t length = PAGE - bytes % PAGE;
    memset(pad, '.', length);
    pad[length] = 0;
    setenv("HEDDLE_PAD", pad, 1);
}
