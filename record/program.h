/* SPDX-License-Identifier: Apache-2.0
 * The executable under test: found as the shell finds it, checked before it is
 * started. */
#ifndef HD_PROGRAM_H
#define HD_PROGRAM_H

#include <stddef.h>

struct hd_program {
    char *path; /* absolute */
    char *build_id;
};

/* 0, or -1 and one line: not there, not ELF, built without heddle cc, linked with libtsan. */
int hd_program_open(const char *name, struct hd_program *, char *error, size_t error_size);
void hd_program_close(struct hd_program *);

/* Hex; the linker's note, or a hash of the file where there is none. "" where it cannot be read.
 * The caller frees. */
char *hd_build_id(const char *path);

#endif
