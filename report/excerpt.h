/* SPDX-License-Identifier: Apache-2.0
 * The source lines that a finding is about, with a few around them, from the files that are there. */
#ifndef HD_EXCERPT_H
#define HD_EXCERPT_H

#include "report/gather.h"

struct hd_excerpt_reader {
    void (*begin)(void *data, const char *file); /* lines follow one another until `end` */
    void (*line)(void *data, uint32_t number, const char *s, size_t length, bool hit);
    void (*end)(void *data);
    void *data;
};

void hd_excerpts(const struct hd_report_finding *, unsigned context, const struct hd_excerpt_reader *);

#endif
