/* SPDX-License-Identifier: Apache-2.0
 * The formats: each adds the whole file to the text. */
#ifndef HD_FORMATS_H
#define HD_FORMATS_H

#include "report/gather.h"
#include "report/text.h"

void hd_report_html(const struct hd_report *, struct hd_text *);
void hd_report_junit(const struct hd_report *, struct hd_text *);
void hd_report_sarif(const struct hd_report *, struct hd_text *);
void hd_report_json(const struct hd_report *, struct hd_text *);
void hd_report_perfetto(const struct hd_report *, struct hd_text *);

#endif
