/* SPDX-License-Identifier: Apache-2.0
 * --suppressions FILE, --gen-suppressions. */
#ifndef HD_CLI_SUPPRESSIONS_H
#define HD_CLI_SUPPRESSIONS_H

#include "analyze/suppression.h"

/* Adds those of the file; *all is made by the first. 0, or 2 after one line on stderr. */
int hd_option_suppressions(const char *command, const char *path, struct hd_suppressions **all);

/* One line on stderr for each that was of no use. */
void hd_name_unused_suppressions(const char *command, const struct hd_suppressions *);

#endif
