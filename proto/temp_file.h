/* SPDX-License-Identifier: Apache-2.0
 * A file under a temporary name beside its final one. Whatever goes wrong, also an
 * exit in the midst of it, the temporary file does not stay. For one thread only. */
#ifndef HD_TEMP_FILE_H
#define HD_TEMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct hd_temp_file {
    FILE *stream;
    char *name;
    struct hd_temp_file *next; /* of those that are open, by address: it must not move */
};

/* 0, or -1 and a line in `error`. */
int hd_temp_open(struct hd_temp_file *, const char *path, char *error, size_t error_size);

/* Closes and renames to `path`; -1 and a line where any write had failed. */
int hd_temp_commit(struct hd_temp_file *, const char *path, char *error, size_t error_size);

void hd_temp_discard(struct hd_temp_file *);

/* Takes a name for a file to come, with an empty one; false where there is one. Until the name is
 * given back, which removes what is still empty, it is so at an exit, too. */
bool hd_name_reserve(const char *path);
void hd_name_give_back(const char *path);

#endif
