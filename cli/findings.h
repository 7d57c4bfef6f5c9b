/* SPDX-License-Identifier: Apache-2.0
 * What heddle analyze prints of one trace: the summary, whose columns are the account's, and the findings. */
#ifndef HD_FINDINGS_H
#define HD_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "analyze/analyze.h"

struct hd_findings {
    const struct hd_analysis *analysis;
    const struct hd_trace *trace;
    const char *name;      /* of the test */
    char *const *path;     /* of each witness */
    bool gen_suppressions; /* a suppression for each finding, too */
};

void hd_findings_print(const struct hd_findings *);
json_t *hd_findings_json(const struct hd_findings *);

#endif
