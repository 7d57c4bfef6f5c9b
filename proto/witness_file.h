/* SPDX-License-Identifier: Apache-2.0
 * Witness and verdict files. What the readers return is valid: every index is
 * within its table, every slice has a stop or is its thread's last, every kind is known. */
#ifndef HD_WITNESS_FILE_H
#define HD_WITNESS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "proto/heddle.pb-c.h"

/* NULL and one line in `error`. Free with heddle__witness__free_unpacked(w, NULL). */
Heddle__Witness *hd_witness_read(const char *path, char *error, size_t error_size);
Heddle__Witness *hd_witness_parse(const uint8_t *bytes, size_t size, const char *name, char *error,
                                  size_t error_size);
Heddle__Witness *hd_witness_copy(const Heddle__Witness *);
int hd_witness_write(const char *path, const Heddle__Witness *witness, char *error, size_t error_size);

/* All verdicts of the file, in order. Free with heddle__verdict_file__free_unpacked(f, NULL). */
Heddle__VerdictFile *hd_verdict_read(const char *path, char *error, size_t error_size);
Heddle__VerdictFile *hd_verdict_parse(const uint8_t *bytes, size_t size, const char *name, char *error,
                                      size_t error_size);

/* Replaces the file with one verdict; appends one to it (made where absent). */
int hd_verdict_write(const char *path, const Heddle__Verdict *verdict, char *error, size_t error_size);
int hd_verdict_append(const char *path, const Heddle__Verdict *verdict, char *error, size_t error_size);

#endif
