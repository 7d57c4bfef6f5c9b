/* SPDX-License-Identifier: Apache-2.0
 * Names for places and data, resolved offline with libdw from (module, offset).
 * Never fails: what cannot be named is named by module and offset. */
#ifndef HD_SYMBOLS_H
#define HD_SYMBOLS_H

#include <stdint.h>

#include "proto/trace.h"

struct hd_symbols;

struct hd_place {
    const char *function; /* never NULL; "?" where unknown */
    const char *file;     /* base name; "" where unknown */
    const char *path;     /* as in the debug info */
    uint32_t line;        /* 0 where unknown */
    bool has_line;        /* an imported trace may have a line 0 */
};

/* Strings live as long as the hd_symbols. A module whose file's build-id is no
 * longer the recorded one is not used. */
struct hd_symbols *hd_symbols_new(const struct hd_trace *);
void hd_symbols_free(struct hd_symbols *);

const struct hd_place *hd_symbols_place(struct hd_symbols *, uint32_t site);

/* The text of the source line there; "" where the source is not. */
const char *hd_symbols_line(struct hd_symbols *, uint32_t site);

/* Name of the datum that event `position` of the trace touches: "balance", "accounts[2].owner", "buffer+16",
 * "block of 24 bytes from bank.c:12 +8", "stack of 0.1 in worker()". */
const char *hd_symbols_datum(struct hd_symbols *, uint64_t position);

/* Name of a synchronization object, likewise. */
const char *hd_symbols_object(struct hd_symbols *, uint32_t object);

#endif
