/* SPDX-License-Identifier: Apache-2.0
 * The subcommands: argv[0] is the command's name, the result is the exit status. */
#ifndef HD_CLI_H
#define HD_CLI_H

#include <stdbool.h>
#include <stddef.h>

int hd_command_cc(int argc, char **argv);
int hd_command_cxx(int argc, char **argv);
int hd_command_record(int argc, char **argv);
int hd_command_analyze(int argc, char **argv);
int hd_command_replay(int argc, char **argv);
int hd_command_check(int argc, char **argv);
int hd_command_show(int argc, char **argv);
int hd_command_convert(int argc, char **argv);
int hd_command_report(int argc, char **argv);

/* "heddle COMMAND: MESSAGE" on stderr; returns 2. */
int hd_usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether something written to stdout did not get there; says so, unless a failure was `said`. */
bool hd_output_lost(const char *command, bool said);

/* "passed", "assertion failed", ... for a Heddle__Outcome. */
const char *hd_outcome_word(unsigned outcome);

#endif
