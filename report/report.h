/* SPDX-License-Identifier: Apache-2.0
 * Reports of what `heddle check` left in a folder: report.html for people, junit.xml and
 * heddle.sarif for other tools, heddle.json for programs; heddle.perfetto.json for trace viewers. The same folder gives the same bytes;
 * a time is in them only where SOURCE_DATE_EPOCH says one. */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include <stddef.h>

enum hd_report_format {
    HD_REPORT_HTML = 1,
    HD_REPORT_JUNIT = 2,
    HD_REPORT_SARIF = 4,
    HD_REPORT_JSON = 8,
    HD_REPORT_ALL = 15,
    HD_REPORT_PERFETTO = 16 /* on request */
};

/* The format called `name`, 0 for none; the file it is written to. */
unsigned hd_report_format_named(const char *name, size_t length);
const char *hd_report_file(unsigned format);

/* What there is to report, read from a folder (report/gather.h), into files in `to`, which is made where it is
 * missing. 0, or -1 and one line in `error`. */
struct hd_report;
int hd_report_write(const struct hd_report *, const char *to, unsigned formats, char *error, size_t error_size);

#endif
