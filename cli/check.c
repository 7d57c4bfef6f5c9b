/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/campaign.h"
#include "cli/cli.h"
#include "cli/fresh.h"
#include "cli/known_commands.h"
#include "cli/options.h"
#include "cli/suppressions.h"
#include "cli/terminal.h"
#include "proto/memory.h"
#include "proto/witness_file.h"
#include "record/recording.h"
#include "replay/verdict.h"
#include "report/folder.h"
#include "report/gather.h"
#include "report/plain.h"
#include "report/report.h"

static const char usage[] =
    "usage: heddle check [OPTIONS] [--] PROG [ARGS]\n"
    "\n"
    "Records PROG's tests, computes the interleavings that would change what they see,\n"
    "reruns each of them for real and says which make a test fail.\n"
    "\n"
    "  -o, --output DIR    folder of traces, witnesses, verdicts and reports (default: heddle.out)\n"
    "  --budget SECONDS    begin nothing new after that time (default: 60; 0: no limit)\n"
    "  --all               the same as --budget 0\n"
    "  --depth N           alternatives of alternatives, N deep (default: 2,\n"
    "                      deeper where there are few)\n"
    "  --timeout SECONDS   give a run up after that time (default: 60 for the recording, and\n"
    "                      for a rerun some ten times what the recording took)\n"
    "  -j, --jobs N        N reruns at a time (default: one a processor)\n"
    "  --seed N            record with threads switched at random, by N\n"
    "  --declare FILE      primitives of your own, one a line (default: $HEDDLE_DECLARE)\n"
    "  --suppressions FILE findings not to rerun or report, in Valgrind's grammar; repeatable\n"
    "  --gen-suppressions  print a suppression for every failing finding\n"
    "  --baseline FILE     findings whose ids are in FILE are known, and no failure\n"
    "  --write-baseline FILE\n"
    "                      write the ids of what fails to FILE\n"
    "  -v, --verbose       explain each finding, and say what became of every alternative\n"
    "  -q, --quiet         print nothing where nothing fails\n"
    "  --color WHEN        auto (default), always or never; NO_COLOR is heeded\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0 nothing failing, 1 failing, 2 error, 77 no test was run.\n";

struct how {
    const char *dir, *declare, *baseline, *write_baseline;
    uint64_t seed;
    unsigned time_limit, jobs, depth, budget;
    bool verbose, quiet, has_time_limit, has_depth, gen_suppressions;
    struct hd_suppressions *suppressions;
    enum hd_colour colour;
};

struct check {
    const struct how *how;
    struct hd_baseline baseline;
    struct hd_recording recording;
    struct hd_campaign **campaign; /* one a trace */
    struct hd_progress progress;
    time_t until;
    unsigned rerun_limit; /* seconds */
};

static void progress(const char *test, uint64_t done, uint64_t left, void *data)
{
    struct check *c = data;
    hd_progress_show(&c->progress, test, done, left);
}

static void told(const Heddle__Witness *w, const Heddle__Verdict *v, void *data)
{
    struct check *c = data;
    if (v->kind == HEDDLE__VERDICT__KIND__FAILING)
        return;
    hd_progress_end(&c->progress);
    fprintf(stderr, "%s/%u  %s: %s: %s%s%s\n", w->header->test, w->number, w->finding->title, hd_verdict_word(v->kind),
            v->text, *v->confirmed ? "; " : "", v->confirmed);
}

/* ------------------------------------------------------------ runs */

static int check_traces(struct check *c, char *error, size_t size)
{
    struct hd_campaign_options options = { .program = &c->recording.program,
                                           .time_limit = c->rerun_limit,
                                           .jobs = c->how->jobs,
                                           .depth = c->how->depth,
                                           .further = !c->how->has_depth,
                                           .until = c->until,
                                           .suppressions = c->how->suppressions,
                                           .progress = progress,
                                           .told = c->how->verbose ? told : NULL,
                                           .data = c };
    int failed = 0;
    c->campaign = hd_alloc((c->recording.traces + 1) * sizeof *c->campaign);
    for (size_t i = 0; i < c->recording.traces; i++)
        c->campaign[i] = hd_campaign_new(&options, c->recording.trace[i], c->recording.path[i]);
    for (size_t i = 0; i < c->recording.traces && !failed; i++) {
        hd_progress_begin(&c->progress, "alternatives", 0, c->until);
        failed = hd_campaign_run(c->campaign[i], c->recording.trace[i], error, size);
        hd_progress_end(&c->progress);
    }
    return failed;
}

/* A rerun that takes much longer than the recording waits for something that never comes. */
static unsigned limit_of_reruns(const struct how *how, const struct timespec *began)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t limit = 5 + 10 * (uint64_t)(now.tv_sec - began->tv_sec + 1);
    return how->has_time_limit || limit > how->time_limit ? how->time_limit : (unsigned)limit;
}

static int record_and_rerun(struct check *c, char *const *argv, char *error, size_t size)
{
    struct hd_recording_options options = { .dir = c->how->dir,
                                            .seed = c->how->seed,
                                            .output = HD_OUTPUT_DROP,
                                            .time_limit = c->how->time_limit,
                                            .declare = c->how->declare,
                                            .leave_others = true,
                                            .load = true };
    struct hd_program program;
    struct timespec began;
    clock_gettime(CLOCK_MONOTONIC, &began);
    error[0] = 0;
    if (hd_program_open(argv[0], &program, error, size) != 0)
        return -1;
    hd_folder_clear(c->how->dir, program.path);
    hd_program_close(&program);
    int unmade = hd_recording_make(&c->recording, argv, &options, error, size);
    if (c->recording.program.path)
        hd_command_was_given(c->recording.program.path, argv, c->recording.declare);
    if (unmade)
        return -1;
    c->rerun_limit = limit_of_reruns(c->how, &began);
    options.time_limit = c->rerun_limit;
    if (check_traces(c, error, size) != 0)
        return -1;
    struct hd_fresh fresh = { argv, &c->recording, c->campaign, options, c->until };
    fresh.options.leave_others = false;
    int failed = hd_fresh_run(&fresh, error, size);
    for (size_t i = 0; i < c->recording.traces && !failed; i++)
        failed = hd_campaign_save(c->campaign[i], error, size);
    return failed;
}

static void free_check(struct check *c)
{
    for (size_t i = 0; c->campaign && i < c->recording.traces; i++)
        hd_campaign_free(c->campaign[i]);
    free(c->campaign);
    hd_recording_free(&c->recording);
    hd_baseline_free(&c->baseline);
}

/* ------------------------------------------------------------ words */

/* Each primitive that ran without a model, once. */
static void name_unmodelled(const struct hd_recording *r)
{
    const char *seen[64];
    size_t count = 0;
    for (size_t i = 0; i < r->traces; i++)
        for (size_t n = 0; n < r->trace[i]->notes; n++) {
            const struct hd_note *note = &r->trace[i]->note[n];
            size_t k = 0;
            if (r->trace[i]->event[note->position].kind != HD_UNMODELLED)
                continue;
            while (k < count && strcmp(seen[k], note->text) != 0)
                k++;
            if (k == count && count < 64)
                seen[count++] = note->text;
        }
    for (size_t k = 0; k < count; k++)
        fprintf(stderr, "%s%s%s", k ? ", " : "heddle check: not modelled: ", seen[k],
                k + 1 == count ? "; findings may be missing\n" : "");
}

/* What a bounded recording left out belongs in the account. */
static void name_reduced(const struct hd_recording *r)
{
    for (size_t i = 0; i < r->traces; i++)
        if (r->trace[i]->reduced || r->trace[i]->capped)
            fprintf(stderr, "heddle check: %s: the recording is reduced: past its budget it has synchronization%s only\n",
                    r->trace[i]->test, r->trace[i]->capped ? "" : " and shared words");
}

/* Of every failing finding that has a witness. */
static void print_suppressions(const struct hd_report *r)
{
    char error[512];
    for (size_t i = 0; i < r->findings; i++) {
        const struct hd_occurrence *o = &r->finding[i].occurrence[0];
        char *path = o->witness ? hd_format("%s/%s", r->dir, o->witness) : NULL;
        Heddle__Witness *w = path && o->rank == HD_RANK_FAILING ? hd_witness_read(path, error, sizeof error) : NULL;
        char *words = w ? hd_suppression_words(w) : hd_strdup("");
        fputs(words, stdout);
        free(words);
        free(path);
        if (w)
            heddle__witness__free_unpacked(w, NULL);
    }
}

static void print(const struct check *c, const struct hd_report *r)
{
    struct hd_plain_style style = { .verbose = c->how->verbose,
                                    .quiet = c->how->quiet,
                                    .colour = hd_terminal_colour(STDOUT_FILENO, c->how->colour),
                                    .utf8 = hd_terminal_utf8(),
                                    .width = hd_terminal_width(STDOUT_FILENO) };
    char *text = hd_report_plain(r, &style);
    fputs(text, stdout);
    free(text);
    if (c->how->gen_suppressions)
        print_suppressions(r);
    if (!r->tally.cut)
        hd_name_unused_suppressions("check", c->how->suppressions);
    if (isatty(STDERR_FILENO) && !c->how->quiet)
        fprintf(stderr, "report: %s/report.html\n", c->how->dir);
}

/* The exit status. */
static int report(const struct check *c, char *error, size_t size)
{
    struct hd_report_options what = { c->recording.program.path, c->how->baseline ? &c->baseline : NULL };
    struct hd_report *r = hd_report_gather(c->how->dir, &what, error, size);
    if (!r)
        return hd_usage_error("check", "%s", error);
    if (!c->how->quiet) {
        name_unmodelled(&c->recording);
        name_reduced(&c->recording);
    }
    int status = r->failing > r->known;
    if (hd_report_write(r, c->how->dir, HD_REPORT_ALL, error, size) != 0 ||
        (c->how->write_baseline && hd_baseline_write(c->how->write_baseline, r, error, size) != 0))
        status = hd_usage_error("check", "%s", error);
    else
        print(c, r);
    hd_report_free(r);
    return status;
}

static int check(char *const *argv, const struct how *how)
{
    char error[512];
    struct check c = { .how = how };
    struct timespec now;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &now);
    c.until = how->budget ? now.tv_sec + how->budget : 0;
    if (how->baseline && hd_baseline_read(&c.baseline, how->baseline, error, sizeof error) != 0)
        return hd_usage_error("check", "%s", error);
    if (record_and_rerun(&c, argv, error, sizeof error) != 0)
        status = *error ? hd_usage_error("check", "%s", error) : 2; /* else a worker said why */
    else if (c.recording.traces == 0) {
        hd_usage_error("check", "%s ran no test; does it include the header for its framework, say <heddle/cunit.h>?", argv[0]);
        status = 77;
    } else
        status = report(&c, error, sizeof error);
    free_check(&c);
    return status;
}

/* ------------------------------------------------------------ options */

enum { TIMEOUT = 256, SEED, BUDGET, DEPTH, DECLARE, ALL, BASELINE, WRITE_BASELINE, COLOUR, SUPPRESSIONS,
       GEN_SUPPRESSIONS };

static const struct option options[] = { { "output", required_argument, NULL, 'o' },
                                         { "seed", required_argument, NULL, SEED },
                                         { "timeout", required_argument, NULL, TIMEOUT },
                                         { "jobs", required_argument, NULL, 'j' },
                                         { "budget", required_argument, NULL, BUDGET },
                                         { "all", no_argument, NULL, ALL },
                                         { "depth", required_argument, NULL, DEPTH },
                                         { "baseline", required_argument, NULL, BASELINE },
                                         { "write-baseline", required_argument, NULL, WRITE_BASELINE },
                                         { "verbose", no_argument, NULL, 'v' },
                                         { "quiet", no_argument, NULL, 'q' },
                                         { "color", required_argument, NULL, COLOUR },
                                         { "suppressions", required_argument, NULL, SUPPRESSIONS },
                                         { "gen-suppressions", no_argument, NULL, GEN_SUPPRESSIONS },
                                         { "declare", required_argument, NULL, DECLARE },
                                         { "help", no_argument, NULL, 'h' },
                                         { 0 } };

/* 0, or 2 after one line. */
static int number_option(const char *name, const char *text, uint64_t most, unsigned *to)
{
    uint64_t number = 0;
    int failed = hd_option_number("check", name, text, most, &number);
    *to = (unsigned)number;
    return failed;
}

/* 0, or 2 after one line; -1: --help. */
static int take_option(struct how *how, int c, char **argv)
{
    switch (c) {
    case 'o': how->dir = optarg; return 0;
    case 'v': how->verbose = true; return 0;
    case 'q': how->quiet = true; return 0;
    case 'h': return -1;
    case 'j': return number_option("-j", optarg, 1024, &how->jobs);
    case SEED: return hd_option_number("check", "--seed", optarg, UINT64_MAX, &how->seed);
    case TIMEOUT:
        how->has_time_limit = true;
        return hd_option_seconds("check", "--timeout", optarg, &how->time_limit);
    case BUDGET: return hd_option_seconds("check", "--budget", optarg, &how->budget);
    case ALL: how->budget = 0; return 0;
    case DEPTH:
        how->has_depth = true;
        return number_option("--depth", optarg, 60, &how->depth);
    case BASELINE: how->baseline = optarg; return 0;
    case WRITE_BASELINE: how->write_baseline = optarg; return 0;
    case DECLARE: how->declare = optarg; return 0;
    case SUPPRESSIONS: return hd_option_suppressions("check", optarg, &how->suppressions);
    case GEN_SUPPRESSIONS: how->gen_suppressions = true; return 0;
    case COLOUR:
        if (hd_colour_named(optarg, &how->colour))
            return 0;
        return hd_usage_error("check", "--color is auto, always or never, not '%s'", optarg);
    default: return hd_option_error("check", c, argv);
    }
}

int hd_command_check(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct how how = { .dir = "heddle.out", .time_limit = 60, .depth = 2, .budget = 60,
                       .jobs = processors > 0 ? (unsigned)processors : 1 };
    int c, status;
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(argc, argv, "+:o:j:vqh", options, NULL)) != -1) {
        status = take_option(&how, c, argv);
        if (status < 0)
            fputs(usage, stdout);
        if (status)
            return status < 0 ? 0 : status;
    }
    if (optind >= argc)
        return hd_usage_error("check", "no program given; see 'heddle check --help'");
    status = check(argv + optind, &how);
    hd_suppressions_free(how.suppressions);
    return status;
}
