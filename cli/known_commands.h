/* SPDX-License-Identifier: Apache-2.0
 * The commands that this user ran under heddle here, or said yes to.
 *
 * A witness carries a command: a program, its arguments, its folder, its file of declarations. One that
 * came from elsewhere could carry any, so replay runs on its own only what is known. `record` and `check`
 * make a command known by running it; nothing that is read from a file does.
 *
 * They are kept in $XDG_STATE_HOME/heddle/commands (default: ~/.local/state), a line each, oldest first;
 * of too many the newest stay. A folder that another user could write to is not believed. */
#ifndef HD_KNOWN_COMMANDS_H
#define HD_KNOWN_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct hd_command {
    const char *program, *cwd, *declare; /* absolute; declare: "" for none */
    char *const *argv;
    size_t argc;
};

/* No other command has the same line. The caller frees. */
char *hd_command_key(const struct hd_command *);

bool hd_command_is_known(const char *key);
/* Without a folder to keep it in nothing happens: replay will ask. */
void hd_command_remember(const char *key);
/* The command of a recording that was made here and now. */
void hd_command_was_given(const char *program, char *const *argv, const char *declare);

#endif
