/* SPDX-License-Identifier: Apache-2.0
 * A compiler's command line, read far enough to know what it will do. Response
 * files (@FILE) are looked into; nothing is changed. */
#ifndef HD_COMPILER_LINE_H
#define HD_COMPILER_LINE_H

#include <stdbool.h>

struct hd_compiler_line {
    bool has_input;        /* else the compiler is only asked about itself */
    bool links;
    bool is_static;
    const char *tsan;      /* the argument that asks for libtsan, NULL: none; static text */
};

void hd_compiler_line_read(struct hd_compiler_line *, int argc, char **argv);

#endif
