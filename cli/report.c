/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "report/gather.h"

static const char usage[] =
    "usage: heddle report [-o DIR] [--format LIST] [DIR]\n"
    "\n"
    "Writes reports of what 'heddle check' left in DIR (default: heddle.out).\n"
    "\n"
    "  -o, --output DIR    where to write (default: beside what is read)\n"
    "  --format LIST       which, separated by commas (default: all but perfetto)\n"
    "                        html    report.html, for people\n"
    "                        junit   junit.xml\n"
    "                        sarif   heddle.sarif, version 2.1.0\n"
    "                        json    heddle.json\n"
    "                        perfetto  heddle.perfetto.json: the failing runs, for ui.perfetto.dev\n"
    "  --baseline FILE     ids of findings that are known\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0 written, whatever was found; 2 error.\n";

/* 0 after one line on stderr. */
static unsigned formats_of(const char *list)
{
    unsigned formats = 0;
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        unsigned format = hd_report_format_named(name, length);
        if (!format) {
            hd_usage_error("report", "unknown format '%.*s'; there are html, junit, sarif, json and perfetto", (int)length, name);
            return 0;
        }
        formats |= format;
        name += length;
        if (!*name)
            return formats;
    }
}

int hd_command_report(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"format", required_argument, NULL, 'f'},
                                            {"baseline", required_argument, NULL, 'b'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *to = NULL, *baseline = NULL;
    unsigned formats = HD_REPORT_ALL;
    int c;
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        switch (c) {
        case 'o': to = optarg; break;
        case 'f':
            formats = formats_of(optarg);
            if (!formats)
                return 2;
            break;
        case 'b': baseline = optarg; break;
        case 'h': fputs(usage, stdout); return 0;
        default: return hd_option_error("report", c, argv);
        }
    }
    if (argc - optind > 1)
        return hd_usage_error("report", "one folder expected; see 'heddle report --help'");
    char error[512];
    struct hd_baseline known = {0};
    const char *dir = optind < argc ? argv[optind] : "heddle.out";
    if (baseline && hd_baseline_read(&known, baseline, error, sizeof error) != 0)
        return hd_usage_error("report", "%s", error);
    if (!to)
        to = dir;
    struct hd_report_options what = {.baseline = baseline ? &known : NULL};
    struct hd_report *r = hd_report_gather(dir, &what, error, sizeof error);
    int failed = r ? hd_report_write(r, to, formats, error, sizeof error) : -1;
    if (r)
        hd_report_free(r);
    hd_baseline_free(&known);
    if (failed)
        return hd_usage_error("report", "%s", error);
    for (unsigned format = 1; format <= HD_REPORT_PERFETTO; format <<= 1)
        if (formats & format)
            printf("%s/%s\n", to, hd_report_file(format));
    return 0;
}
