/* SPDX-License-Identifier: Apache-2.0
 * Places in the source that outlive the trace they come from, and the strings they are made of. */
#ifndef HD_SOURCE_PLACE_H
#define HD_SOURCE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"
#include "symbols/symbols.h"

/* Strings that live as long as the report. */
struct hd_strings { char **s; size_t count, room; };
const char *hd_keep(struct hd_strings *, char *s);       /* takes s */
const char *hd_keep_copy(struct hd_strings *, const char *s);
void hd_strings_free(struct hd_strings *);

struct hd_source_place {
    const char *function, *file; /* base name; "" where unknown */
    const char *path;            /* absolute where known */
    const char *module;          /* base name; with `offset` where there is no line */
    uint64_t offset;
    uint32_t line;
};

/* Of a site of the trace, and of a witness's anchor (index+1), whose trace may be NULL. */
struct hd_source_place hd_place_of_site(struct hd_strings *, const struct hd_trace *, struct hd_symbols *,
                                        uint32_t site);
struct hd_source_place hd_place_of_anchor(struct hd_strings *, const struct hd_trace *, struct hd_symbols *,
                                          const Heddle__Witness *, uint32_t anchor);

/* "bank.c:31", "libx.so+0x12", or "" where nothing is known. The caller frees. */
char *hd_source_place_words(const struct hd_source_place *);

#endif
