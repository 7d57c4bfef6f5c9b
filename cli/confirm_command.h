/* SPDX-License-Identifier: Apache-2.0
 * May the command that a witness carries be run? Yes, where this user ran it here (cli/known_commands.h),
 * gave all of it in place of the witness's, or confirms it. Asked is only on a terminal, and before any
 * rerun begins; what was confirmed is not asked again. */
#ifndef HD_CONFIRM_COMMAND_H
#define HD_CONFIRM_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/heddle.pb-c.h"

struct hd_confirming {
    const char *command; /* the subcommand that asks */
    bool yes;            /* all are confirmed */
    bool asking;         /* else an unknown one is refused */
    char **accepted;     /* keys */
    size_t count, room;
};

/* `program`: absolute; `given`: it was named by the user, not by the witness. 0, or 2 after one line. */
int hd_confirm_command(struct hd_confirming *, const char *path, const Heddle__Witness *, const char *program,
                       bool given);
bool hd_can_ask(void);
void hd_confirming_free(struct hd_confirming *);

#endif
