/* SPDX-License-Identifier: Apache-2.0
 * A rerun under gdb: the command line that starts it, and what gdb saw at the end.
 *
 * gdb is the parent of the test, so how the test died is known to gdb alone; its
 * commands (heddle_gdb.py) leave that in a file. */
#ifndef HD_GDB_H
#define HD_GDB_H

#include "replay/driver.h"

struct hd_gdb {
    char **argv;
    char folder[64]; /* of the steps (for the commands) and the ending (from them) */
};

int hd_gdb_prepare(struct hd_gdb *gdb, const Heddle__Witness *w, const struct hd_program *program, const char *name,
                   const char *commands, const char *batch, char *error, size_t error_size);

/* Corrects the verdict by what gdb saw, and removes the folder. */
void hd_gdb_finish(struct hd_gdb *, struct hd_replay *, const Heddle__Witness *);

#endif
