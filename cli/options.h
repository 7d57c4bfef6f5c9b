/* SPDX-License-Identifier: Apache-2.0
 * What every subcommand's option loop needs. All return 2 after one line on stderr. */
#ifndef HD_OPTIONS_H
#define HD_OPTIONS_H

#include <stdint.h>

/* For getopt_long's '?' and ':'. */
int hd_option_error(const char *command, int c, char **argv);

/* 0 where `text` is a number up to `most`. */
int hd_option_number(const char *command, const char *option, const char *text, uint64_t most, uint64_t *number);

/* 0 where `text` is K/N with K from 1 to N; *k counts from 0. */
int hd_option_slice(const char *command, const char *text, uint64_t *k, uint64_t *n);

/* 0 where `list` is kinds of findings with commas between them; *kinds: HD_KINDS_*. */
int hd_option_kinds(const char *command, const char *list, unsigned *kinds);

/* 0 where `text` is a number of seconds, with or without an s. */
int hd_option_seconds(const char *command, const char *option, const char *text, unsigned *seconds);

#endif
