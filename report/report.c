/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/frame.h"
#include "proto/memory.h"
#include "report/formats.h"

static const struct {
    unsigned format;
    const char *name, *file;
    void (*make)(const struct hd_report *, struct hd_text *);
} formats_known[] = {
    {HD_REPORT_HTML, "html", "report.html", hd_report_html},
    {HD_REPORT_JUNIT, "junit", "junit.xml", hd_report_junit},
    {HD_REPORT_SARIF, "sarif", "heddle.sarif", hd_report_sarif},
    {HD_REPORT_JSON, "json", "heddle.json", hd_report_json},
    {HD_REPORT_PERFETTO, "perfetto", "heddle.perfetto.json", hd_report_perfetto},
};
#define FORMATS (sizeof formats_known / sizeof *formats_known)

unsigned hd_report_format_named(const char *name, size_t length)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strlen(formats_known[i].name) == length && memcmp(formats_known[i].name, name, length) == 0)
            return formats_known[i].format;
    return 0;
}

const char *hd_report_file(unsigned format)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats_known[i].format == format)
            return formats_known[i].file;
    return NULL;
}

int hd_report_write(const struct hd_report *r, const char *to, unsigned formats, char *error, size_t size)
{
    int failed = 0;
    if (mkdir(to, 0777) != 0 && errno != EEXIST) {
        snprintf(error, size, "%s: %s", to, strerror(errno));
        failed = -1;
    }
    for (size_t i = 0; i < FORMATS && !failed; i++) {
        struct hd_text text = {0};
        if (!(formats & formats_known[i].format))
            continue;
        formats_known[i].make(r, &text);
        char *path = hd_format("%s/%s", to, formats_known[i].file);
        failed = hd_file_write(path, text.s, text.used, error, size);
        free(path);
        hd_text_free(&text);
    }
    return failed;
}
