/* SPDX-License-Identifier: Apache-2.0
 * What every subcommand's option loop needs. All return 2 after one line on stderr. */
#ifndef HD_OPTIONS_H
#define HD_OPTIONS_H

#include <stdint.h>

/* For getopt_long's '?' and ':'. */
int hd_option_error(const char *command, int c, char **argv);

/* 0 where `text` is a number up to `most`. */
int hd_option_number(const char *command, const char *option, const char *text, uint64_t most, uint64_t *number);

#endif
