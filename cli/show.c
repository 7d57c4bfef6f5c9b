/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/verify.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "proto/frame.h"
#include "proto/memory.h"
#include "proto/trace_file.h"
#include "proto/trace_open.h"
#include "proto/witness_file.h"

static const char usage[] = "usage: heddle show [--format text|json] [--stats] FILE\n"
                            "       heddle show --verify WITNESS [TRACE]\n"
                            "\n"
                            "Prints a trace (also STD text and SPD data), a witness or a verdict.\n"
                            "\n"
                            "  --format text   for people: one column a thread (default)\n"
                            "  --format json   for programs: a witness is one object, a trace one object a line\n"
                            "  --stats         of a trace: events by kind, bytes per event, threads, objects, notes\n"
                            "  --verify        make the schedule of WITNESS on TRACE (default: the one beside it) and\n"
                            "                  see whether the finding follows, without the engine that found it\n"
                            "  --help          this text\n"
                            "\n"
                            "Exit status: 0, 1 a witness that is refused, 2 error.\n";

struct how { bool json, stats, verify; };

static int show_trace(const uint8_t *bytes, size_t size, const char *name, struct how how)
{
    char error[512];
    struct hd_trace *t = hd_trace_open_bytes(bytes, size, name, NULL, error, sizeof error);
    if (!t)
        return hd_usage_error("show", "%s", error);
    if (how.stats && how.json)
        hd_json_stats(t, size);
    else if (how.stats)
        hd_show_stats(t, size);
    else if (how.json)
        hd_json_trace(t);
    else
        hd_show_trace(t);
    hd_trace_free(t);
    return 0;
}

static int show_witness(const uint8_t *bytes, size_t size, const char *name, struct how how)
{
    char error[512];
    Heddle__Witness *w = hd_witness_parse(bytes, size, name, error, sizeof error);
    if (!w)
        return hd_usage_error("show", "%s", error);
    char *path = hd_file_beside(name, w->trace);
    struct hd_trace *t = how.json || w->rerun_of || !path ? NULL : hd_trace_open(path, error, sizeof error);
    bool same = t && strcmp(t->build_id, w->header->build_id) == 0 && strcmp(t->test, w->header->test) == 0;
    if (how.json)
        hd_json_witness(w);
    else
        hd_show_witness(w, same ? t : NULL);
    hd_trace_free(t);
    free(path);
    heddle__witness__free_unpacked(w, NULL);
    return 0;
}

static int show_verdicts(const uint8_t *bytes, size_t size, const char *name, struct how how)
{
    char error[512];
    Heddle__VerdictFile *file = hd_verdict_parse(bytes, size, name, error, sizeof error);
    if (!file)
        return hd_usage_error("show", "%s", error);
    (how.json ? hd_json_verdicts : hd_show_verdicts)(file);
    heddle__verdict_file__free_unpacked(file, NULL);
    return 0;
}

static int show_file(const char *path, struct how how)
{
    char error[512];
    size_t size;
    uint8_t *bytes = hd_file_read(path, &size, error, sizeof error);
    if (!bytes)
        return hd_usage_error("show", "%s", error);
    enum hd_file_type type = hd_file_recognise(bytes, size);
    int result;
    if (how.stats && (type == HD_FILE_WITNESS || type == HD_FILE_VERDICT))
        result = hd_usage_error("show", "%s: --stats is of a trace; give the .trace file", path);
    else if (type == HD_FILE_WITNESS)
        result = show_witness(bytes, size, path, how);
    else if (type == HD_FILE_VERDICT)
        result = show_verdicts(bytes, size, path, how);
    else
        result = show_trace(bytes, size, path, how);
    free(bytes);
    return result;
}

static int verify(const char *witness, const char *trace)
{
    static const char *const words[] = {[HD_HOLDS] = "holds", [HD_REFUSED] = "refused",
                                        [HD_SHORTENED] = "holds as far as it goes; its rerun failed without the rest"};
    char error[512];
    Heddle__Witness *w = hd_witness_read(witness, error, sizeof error);
    if (!w)
        return hd_usage_error("show", "%s", error);
    char *path = trace ? hd_strdup(trace) : hd_file_beside(witness, w->trace);
    struct hd_trace *t = NULL;
    if (!trace && w->rerun_of)
        hd_usage_error("show", "%s: found in the rerun of witness %u; keep that (heddle replay --trace-out FILE) and "
                               "give it as TRACE", witness, w->rerun_of);
    else if (!path)
        hd_usage_error("show", "%s: its trace is no file beside it; give it as TRACE", witness);
    else if (!(t = hd_trace_open(path, error, sizeof error)))
        hd_usage_error("show", "%s", error);
    enum hd_verified result = t ? hd_verify(w, t, error, sizeof error) : HD_REFUSED;
    if (t)
        printf("%s: %s%s%s\n", witness, words[result], result == HD_REFUSED ? ": " : "",
               result == HD_REFUSED ? error : "");
    int status = !t ? 2 : result == HD_REFUSED ? 1 : 0;
    hd_trace_free(t);
    free(path);
    heddle__witness__free_unpacked(w, NULL);
    return status;
}

int hd_command_show(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                            {"stats", no_argument, NULL, 's'},
                                            {"verify", no_argument, NULL, 'V'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct how how = {0};
    int c;
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        switch (c) {
        case 's': how.stats = true; break;
        case 'V': how.verify = true; break;
        case 'f':
            how.json = strcmp(optarg, "json") == 0;
            if (!how.json && strcmp(optarg, "text") != 0)
                return hd_usage_error("show", "unknown format '%s'; there are text and json", optarg);
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return hd_option_error("show", c, argv);
        }
    }
    if (how.verify && (how.stats || how.json || optind >= argc || optind + 2 < argc))
        return hd_usage_error("show", "--verify wants a witness and a trace; see 'heddle show --help'");
    if (how.verify)
        return verify(argv[optind], argv[optind + 1]);
    if (optind + 1 != argc)
        return hd_usage_error("show", "one file expected; see 'heddle show --help'");
    return show_file(argv[optind], how);
}
