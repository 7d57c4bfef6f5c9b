/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "cli/cli.h"
#include "cli/findings.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/suppressions.h"
#include "proto/memory.h"
#include "proto/temp_file.h"
#include "proto/trace_open.h"
#include "proto/witness_file.h"

static const char usage[] =
    "usage: heddle analyze [-o DIR] [--kinds LIST] [-j N] [--account FILE] [--budget STATES]\n"
    "                      [--all] [--same-value] [--strict-writers] [--format text|json]\n"
    "                      [--suppressions FILE] [--gen-suppressions] TRACE...\n"
    "\n"
    "Finds the interleavings that would change what the recorded test saw.\n"
    "\n"
    "  -o, --output DIR   write witnesses there (default: beside the trace)\n"
    "  --kinds LIST       of nondet,race,deadlock,wakeup,memory,misuse (default: all)\n"
    "  -j, --jobs N       use N threads; the result is the same\n"
    "  --account FILE     one line a candidate: what became of it\n"
    "  --budget STATES    states one candidate may visit before it is left open\n"
    "  --all              a witness for every feasible candidate, not one a finding, and\n"
    "                     however many there are\n"
    "  --same-value       a read counts although it would see the same value\n"
    "  --strict-writers   other reads keep their writers, not only their values\n"
    "  --format FORMAT    text or json (default: text)\n"
    "  --suppressions FILE  findings not to report, in Valgrind's grammar; repeatable\n"
    "  --gen-suppressions   print a suppression for every finding\n"
    "  --help             this text\n"
    "\n"
    "Exit status: 0 no witness, 1 some, 2 error. Interrupted, it keeps what it has found.\n";

struct output {
    const char *dir, *account;
    json_t *json; /* one object a trace; NULL: text */
    struct hd_suppressions *suppressions;
    bool gen_suppressions;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* "DIR/bank" from "x/bank.trace". */
static char *witness_stem(const char *trace, const char *dir)
{
    const char *slash = strrchr(trace, '/'), *base = slash ? slash + 1 : trace;
    size_t length = strlen(base);
    if (length > 6 && strcmp(base + length - 6, ".trace") == 0)
        length -= 6;
    if (dir)
        return hd_format("%s/%.*s", dir, (int)length, base);
    return hd_format("%.*s", (int)((size_t)(base - trace) + length), trace);
}

static int write_witnesses(const struct hd_analysis *analysis, char **path, const char *trace)
{
    char error[512];
    const char *slash = strrchr(trace, '/');
    for (size_t i = 0; i < analysis->witnesses; i++) {
        Heddle__Witness *w = analysis->witness[i];
        free(w->trace);
        w->trace = hd_strdup(slash ? slash + 1 : trace);
        if (hd_witness_write(path[i], w, error, sizeof error) != 0)
            return hd_usage_error("analyze", "%s", error);
    }
    return analysis->witnesses ? 1 : 0;
}

static void tell(const struct hd_findings *findings, struct output *out)
{
    if (out->json)
        json_array_append_new(out->json, hd_findings_json(findings));
    else
        hd_findings_print(findings);
}

static struct hd_progress bar;

static void show_progress(const char *kind, size_t done, size_t units)
{
    hd_progress_show(&bar, kind, done, units - done);
}

static int analyze_one(const char *path, struct output *out, const struct hd_analyze_options *options)
{
    char error[512];
    struct hd_trace *trace = hd_trace_open(path, error, sizeof error);
    if (!trace)
        return hd_usage_error("analyze", "%s", error);
    if (trace->truncated)
        fprintf(stderr, "heddle analyze: %s: cut; the %zu events before the cut are analysed\n", path, trace->events);
    struct hd_symbols *symbols = hd_symbols_new(trace);
    hd_progress_begin(&bar, "units", 1, 0);
    struct hd_analysis *analysis = hd_analyze(trace, symbols, options);
    hd_progress_end(&bar);
    if (analysis->contradiction) {
        int result = hd_usage_error("analyze", "%s: contradicts itself: %s; record again", path, analysis->contradiction);
        hd_analysis_free(analysis);
        hd_symbols_free(symbols);
        hd_trace_free(trace);
        return result;
    }
    if (out->suppressions)
        hd_analysis_suppress(analysis, out->suppressions);
    char *stem = witness_stem(path, out->dir), **paths = hd_alloc((analysis->witnesses + 1) * sizeof *paths);
    for (size_t i = 0; i < analysis->witnesses; i++)
        paths[i] = hd_format("%s-%zu.witness", stem, i + 1);
    const char *slash = strrchr(stem, '/');
    struct hd_findings findings = {analysis, trace, *trace->test ? trace->test : slash ? slash + 1 : stem, paths,
                                   out->gen_suppressions};
    int result = write_witnesses(analysis, paths, path);
    if (result != 2)
        tell(&findings, out);
    for (size_t i = 0; i < analysis->witnesses; i++)
        free(paths[i]);
    free(paths);
    free(stem);
    hd_analysis_free(analysis);
    hd_symbols_free(symbols);
    hd_trace_free(trace);
    return result;
}

static int finish_output(struct output *out, struct hd_temp_file *account, int result)
{
    char error[512];
    if (out->json && result != 2) {
        json_dumpf(out->json, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
        putchar('\n');
    }
    if (out->account && result == 2)
        hd_temp_discard(account);
    else if (out->account && hd_temp_commit(account, out->account, error, sizeof error) != 0)
        result = hd_usage_error("analyze", "%s", error);
    if (hd_output_lost("analyze", result == 2))
        result = 2;
    if (result != 2 && !interrupted)
        hd_name_unused_suppressions("analyze", out->suppressions);
    return result;
}

static int analyze_all(int count, char **traces, struct output *out, struct hd_analyze_options *options)
{
    char error[512];
    struct hd_temp_file temp = {0};
    if (out->dir && mkdir(out->dir, 0777) != 0 && errno != EEXIST)
        return hd_usage_error("analyze", "%s: %s; give another folder with -o", out->dir, strerror(errno));
    if (out->account && hd_temp_open(&temp, out->account, error, sizeof error) != 0)
        return hd_usage_error("analyze", "%s", error);
    options->account = temp.stream;
    options->stop = &interrupted;
    options->progress = show_progress;
    signal(SIGINT, interrupt);
    int result = 0;
    for (int i = 0; i < count && result != 2 && !interrupted; i++) {
        int one = analyze_one(traces[i], out, options);
        result = one > result ? one : result;
    }
    signal(SIGINT, SIG_DFL);
    return finish_output(out, &temp, result);
}

static int parse_format(const char *word, json_t **json)
{
    json_decref(*json);
    *json = strcmp(word, "json") == 0 ? json_array() : NULL;
    if (*json || strcmp(word, "text") == 0)
        return 0;
    return hd_usage_error("analyze", "unknown format '%s'; there are text and json", word);
}

static int parse_jobs(const char *word, unsigned *jobs)
{
    uint64_t n = 0;
    if (hd_option_number("analyze", "--jobs", word, 64, &n) != 0)
        return 2;
    *jobs = (unsigned)n;
    return 0;
}

int hd_command_analyze(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"kinds", required_argument, NULL, 'k'},
                                            {"jobs", required_argument, NULL, 'j'},
                                            {"account", required_argument, NULL, 'a'},
                                            {"budget", required_argument, NULL, 'b'},
                                            {"all", no_argument, NULL, 'A'},
                                            {"same-value", no_argument, NULL, 'S'},
                                            {"strict-writers", no_argument, NULL, 'W'},
                                            {"format", required_argument, NULL, 'f'},
                                            {"suppressions", required_argument, NULL, 's'},
                                            {"gen-suppressions", no_argument, NULL, 'g'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct hd_analyze_options how = {.kinds = HD_KINDS_ALL, .effort = 20000000};
    struct output out = {0};
    int c, bad = 0;
    opterr = 0;
    optind = 0;
    while (!bad && (c = getopt_long(argc, argv, ":o:j:h", options, NULL)) != -1) {
        switch (c) {
        case 'o': out.dir = optarg; break;
        case 'a': out.account = optarg; break;
        case 'k': bad = hd_option_kinds("analyze", optarg, &how.kinds); break;
        case 'j': bad = parse_jobs(optarg, &how.jobs); break;
        case 'b': bad = hd_option_number("analyze", "--budget", optarg, UINT64_MAX, &how.state_budget); break;
        case 'A': how.all = true; break;
        case 'S': how.same_value = true; break;
        case 'W': how.strict_writers = true; break;
        case 'f': bad = parse_format(optarg, &out.json); break;
        case 's': bad = hd_option_suppressions("analyze", optarg, &out.suppressions); break;
        case 'g': out.gen_suppressions = true; break;
        case 'h': fputs(usage, stdout); return 0;
        default: bad = hd_option_error("analyze", c, argv); break;
        }
    }
    if (!bad && optind >= argc)
        bad = hd_usage_error("analyze", "no trace given; make one with 'heddle record'");
    int result = bad ? 2 : analyze_all(argc - optind, argv + optind, &out, &how);
    json_decref(out.json);
    hd_suppressions_free(out.suppressions);
    return result;
}
