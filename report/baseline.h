/* SPDX-License-Identifier: Apache-2.0
 * Findings that are known: a text file, one id a line; lines that begin with # and empty ones say nothing. */
#ifndef HD_BASELINE_H
#define HD_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_baseline { char **id; size_t ids; };

/* 0, or -1 and one line in `error`. */
int hd_baseline_parse(struct hd_baseline *, const uint8_t *bytes, size_t size, const char *name, char *error,
                      size_t error_size);
int hd_baseline_read(struct hd_baseline *, const char *path, char *error, size_t error_size);
bool hd_baseline_has(const struct hd_baseline *, const char *id); /* false for NULL */
void hd_baseline_free(struct hd_baseline *);

/* The ids of all failing findings, sorted. */
struct hd_report;
int hd_baseline_write(const char *path, const struct hd_report *, char *error, size_t error_size);

#endif
