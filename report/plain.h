/* SPDX-License-Identifier: Apache-2.0
 * What check prints: a line that sums up, and each failing finding with the commands to run next.
 *
 * With `verbose` also the account of every test, and of each finding what happened, why, the source
 * lines, its kind and its id. Control characters of names never reach the terminal. */
#ifndef HD_PLAIN_H
#define HD_PLAIN_H

#include "report/gather.h"

struct hd_plain_style {
    bool verbose, colour;
    bool quiet;     /* nothing where nothing fails */
    bool utf8;      /* else plain ASCII */
    unsigned width; /* columns; 0: as wide as it gets */
};

/* The caller frees. */
char *hd_report_plain(const struct hd_report *, const struct hd_plain_style *);

#endif
