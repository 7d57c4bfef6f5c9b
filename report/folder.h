/* SPDX-License-Identifier: Apache-2.0
 * The files of a folder that `heddle check` filled: names sorted, witnesses read. */
#ifndef HD_FOLDER_H
#define HD_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/heddle.pb-c.h"

struct hd_folder_witness {
    char *name; /* file name */
    Heddle__Witness *w;
    Heddle__VerdictFile *verdicts; /* NULL: not replayed */
};

struct hd_folder {
    const char *dir;
    char **trace; /* file names */
    size_t traces;
    struct hd_folder_witness *witness; /* by trace, then number */
    size_t witnesses;
    Heddle__Account **account;
    size_t accounts;
};

/* Only what belongs to `program` (absolute path), all where that is NULL. 0, or -1 and one line in `error`; free in
 * either case. */
int hd_folder_read(struct hd_folder *, const char *dir, const char *program, char *error, size_t error_size);
void hd_folder_free(struct hd_folder *);

/* The folder has a trace of this name. */
bool hd_folder_has_trace(const struct hd_folder *, const char *name);

/* Removes what earlier runs left of that program; files of others, and files that are not heddle's, stay. */
void hd_folder_clear(const char *dir, const char *program);

/* The name with another ending: "transfer-1.witness", "trace" gives "transfer-1.trace". */
char *hd_with_ending(const char *name, const char *ending);

#endif
