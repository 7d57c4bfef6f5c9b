/* SPDX-License-Identifier: Apache-2.0
 * Parts of report.html. The page is one file: no script, no request to anywhere; what opens and
 * closes is the browser's own, so that it works by keyboard. It is well-formed as XML, too. */
#ifndef HD_HTML_PARTS_H
#define HD_HTML_PARTS_H

#include "report/gather.h"
#include "report/text.h"

extern const char hd_html_style[];

/* Both runs side by side: a column a thread, time downwards. */
void hd_html_timelines(struct hd_text *, const struct hd_report_finding *);

/* The lines around what the finding is about, from the source files that are there. */
void hd_html_source(struct hd_text *, const struct hd_report_finding *);

#endif
