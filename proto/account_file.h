/* SPDX-License-Identifier: Apache-2.0
 * TEST.account: what became of the alternatives of one test. */
#ifndef HD_ACCOUNT_FILE_H
#define HD_ACCOUNT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/heddle.pb-c.h"

/* NULL and one line in `error`. What is returned adds up. Free with heddle__account__free_unpacked(a, NULL). */
Heddle__Account *hd_account_parse(const uint8_t *bytes, size_t size, const char *name, char *error, size_t error_size);
Heddle__Account *hd_account_read(const char *path, char *error, size_t error_size);
int hd_account_write(const char *path, const Heddle__Account *, char *error, size_t error_size);

/* Every alternative was tried, or is impossible, and none was left for want of time. */
bool hd_account_closed(const Heddle__Account *);

#endif
