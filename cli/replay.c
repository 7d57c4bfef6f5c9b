/* SPDX-License-Identifier: Apache-2.0 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/confirm_command.h"
#include "cli/options.h"
#include "cli/places.h"
#include "cli/printed.h"
#include "proto/memory.h"
#include "proto/witness_file.h"
#include "replay/alike.h"
#include "replay/gdb.h"
#include "replay/loose.h"
#include "replay/pool.h"
#include "replay/verdict.h"

static const char usage[] =
    "usage: heddle replay [OPTIONS] WITNESS... [-- PROG ARGS]\n"
    "\n"
    "Reruns the test of each witness in exactly its order and says what happens.\n"
    "\n"
    "  -n, --repeat N      N times; all must end alike, event by event\n"
    "  -j, --jobs N        N reruns at a time (default: 1)\n"
    "  --slice K/N         only every N-th witness, beginning with the K-th\n"
    "  --gdb               under gdb, with the commands 'witness list|goto N|next|where'\n"
    "  --gdb-batch FILE    under gdb, which runs the commands of FILE and ends\n"
    "  --trace-out FILE    keep the trace of the rerun\n"
    "  --program PATH      rerun this program (default: the one recorded)\n"
    "  --yes               run the command that a witness carries, also one you have not run here\n"
    "  --compare-output    another output than in the recorded order is a failure\n"
    "  --loose             the program was edited: find the steps again by function and line\n"
    "  --declare FILE      declarations of primitives (default: the file recorded with)\n"
    "  --timeout SECONDS   give a rerun up after that time (default: 60; gdb: never)\n"
    "  --memory MB         memory that the test may take (default: no limit)\n"
    "  --output            show what the test printed\n"
    "  --format FORMAT     text or json, one object a line (default: text)\n"
    "  --help              this text\n"
    "\n"
    "PROG ARGS replace the recorded command line.\n"
    "Exit status: 0 harmless, 1 failing, 2 error, 124 not reached, 125 diverged.\n";

struct how {
    char *const *path;
    size_t paths;
    const char *program, *batch, *trace_out, *declare;
    char *const *argv;
    bool gdb, json, output, loose, compare;
    const struct hd_text *expected; /* output in the recorded order */
    uint64_t repeat, jobs, slice, slices;
    unsigned time_limit, memory;
    struct hd_confirming *confirming;
};

/* What one rerun leaves, as it travels from the process that made it. */
struct outcome {
    int status; /* exit status so far */
    char *text; /* for stdout */
};

static int status_of(Heddle__Verdict__Kind kind)
{
    switch (kind) {
    case HEDDLE__VERDICT__KIND__FAILING: return 1;
    case HEDDLE__VERDICT__KIND__DIVERGED: return 125;
    case HEDDLE__VERDICT__KIND__NOT_REACHED: return 124;
    default: return 0;
    }
}

/* Which of two is the news: an error, then a failure, then what was not decided. */
static int worse(int a, int b)
{
    static const int order[] = { 2, 1, 125, 124, 0 };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

static void say_json(const struct how *how, const char *path, const Heddle__Witness *w, const struct hd_replay *r,
                     uint64_t same)
{
    json_t *o = json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:i, s:i}", "witness", path, "test", w->header->test, "number",
                          (int)w->number, "title", w->finding->title, "verdict", hd_verdict_word(r->kind), "text",
                          r->text, "slices", (int)w->n_slice, "slices_done", (int)r->slices_done);
    if (o && *r->confirmed)
        json_object_set_new(o, "confirmed", json_string(r->confirmed));
    if (o && r->kind == HEDDLE__VERDICT__KIND__FAILING) {
        json_object_set_new(o, "context_switches", json_integer(r->constraints.switches));
        json_object_set_new(o, "constraints", json_integer(r->constraints.forced));
    }
    if (o && *r->confirmation)
        json_object_set_new(o, "confirmation", json_string(r->confirmation));
    json_t *more = o && r->more.count ? json_array() : NULL;
    for (size_t i = 0; more && i < r->more.count; i++)
        json_array_append_new(more, json_string(r->more.line[i]));
    if (more)
        json_object_set_new(o, "more", more);
    if (o && how->output) {
        json_object_set_new(o, "stdout", hd_printed_json(&r->output));
        json_object_set_new(o, "stderr", hd_printed_json(&r->errors));
    }
    if (o && how->repeat > 1) {
        json_object_set_new(o, "runs", json_integer((json_int_t)how->repeat));
        json_object_set_new(o, "alike", json_integer((json_int_t)same));
    }
    if (o) {
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
    }
    json_decref(o);
}

static void say(const struct how *how, const char *path, const Heddle__Witness *w, const struct hd_replay *r,
                uint64_t same)
{
    if (how->json) {
        say_json(how, path, w, r, same);
        return;
    }
    printf("%s/%u  %s: %s\n       %s\n", w->header->test, w->number, w->finding->title, hd_verdict_word(r->kind),
           r->text);
    if (*r->confirmed)
        printf("       %s\n", r->confirmed);
    if (r->kind == HEDDLE__VERDICT__KIND__FAILING)
        printf("       %u context switch%s, %u of them forced\n", r->constraints.switches,
               r->constraints.switches == 1 ? "" : "es", r->constraints.forced);
    for (size_t i = 0; i < r->more.count; i++)
        printf("       %s\n", r->more.line[i]);
    if (how->repeat > 1)
        printf("       %llu of %llu runs ended so\n", (unsigned long long)same, (unsigned long long)how->repeat);
    if (how->output) {
        hd_printed_say("stdout", &r->output);
        hd_printed_say("stderr", &r->errors);
    }
}

static struct hd_replay_options options_of(const struct how *how, enum hd_output output)
{
    return (struct hd_replay_options){ .output = output,
                                       .time_limit = how->time_limit,
                                       .memory = how->memory,
                                       .argv = how->argv,
                                       .loose = how->loose,
                                       .expected_output = how->expected,
                                       .declare = how->declare };
}

static int repeat(const Heddle__Witness *w, const struct hd_program *program, const struct how *how,
                  const struct hd_replay *first, uint64_t *same)
{
    char error[512];
    struct hd_replay_options options = options_of(how, how->expected ? HD_OUTPUT_KEEP : HD_OUTPUT_DROP);
    *same = 1;
    for (uint64_t i = 1; i < how->repeat; i++) {
        struct hd_replay r;
        if (hd_replay_run(&r, w, program, &options, error, sizeof error) != 0)
            return hd_usage_error("replay", "%s", error);
        char *difference = hd_replay_difference(first, &r);
        if (!difference)
            ++*same;
        else
            fprintf(stderr, "heddle replay: run %llu: %s\n", (unsigned long long)i + 1, difference);
        free(difference);
        hd_replay_free(&r);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%llu of %llu%s", (unsigned long long)i + 1, (unsigned long long)how->repeat,
                    i + 1 == how->repeat ? "\n" : "");
    }
    return *same == how->repeat ? status_of(first->kind) : 125;
}

static int first_run(struct hd_replay *r, const Heddle__Witness *w, const struct hd_program *program,
                     const struct how *how, const char *path)
{
    char error[512];
    struct hd_gdb gdb = { 0 };
    struct hd_replay_options options = options_of(how, how->gdb ? HD_OUTPUT_PASS : HD_OUTPUT_KEEP);
    options.recorded_beside = path;
    if (how->gdb) {
        char *commands = hd_place_gdb();
        int failed = hd_gdb_prepare(&gdb, w, program, HD_GDB, commands, how->batch, error, sizeof error);
        free(commands);
        if (failed)
            return hd_usage_error("replay", "%s", error);
        options.wrapper = gdb.argv;
        options.time_limit = 0;
    }
    int failed = hd_replay_run(r, w, program, &options, error, sizeof error);
    if (how->gdb)
        hd_gdb_finish(&gdb, r, w);
    if (failed)
        return hd_usage_error("replay", "%s", error);
    if (r->trace || r->kind == HEDDLE__VERDICT__KIND__NOT_REACHED || how->gdb)
        return 0;
    return hd_usage_error("replay", "%s has no test '%s%s%s'; the witness is of %s", program->path, w->header->suite,
                          *w->header->suite ? "/" : "", w->header->test, w->header->program);
}

/* Fitted to the program as it is now, then replayed. */
static int replay(const Heddle__Witness *, const struct hd_program *, const struct how *, const char *path);

static int replay_loose(Heddle__Witness **w, const struct hd_program *program, const struct how *how, const char *path)
{
    char error[512], *impossible;
    struct hd_replay_options options = options_of(how, HD_OUTPUT_DROP);
    struct hd_lines drift = { 0 };
    int result;
    if (hd_loose_fit(w, program, &options, &drift, &impossible, error, sizeof error) != 0)
        result = hd_usage_error("replay", "%s", error);
    else {
        for (size_t i = 0; i < drift.count && !how->json; i++)
            printf("drift: %s\n", drift.line[i]);
        if (impossible) {
            struct hd_replay r;
            hd_loose_verdict(&r, impossible);
            say(how, path, *w, &r, how->repeat);
            result = status_of(r.kind);
            hd_replay_free(&r);
        } else
            result = replay(*w, program, how, path);
        free(impossible);
    }
    hd_lines_free(&drift);
    return result;
}

static int replay(const Heddle__Witness *w, const struct hd_program *program, const struct how *how, const char *path)
{
    char error[512];
    struct hd_replay r = { 0 };
    uint64_t same = 1;
    int result = first_run(&r, w, program, how, path);
    if (result == 0) {
        result = how->repeat > 1 ? repeat(w, program, how, &r, &same) : status_of(r.kind);
        say(how, path, w, &r, same);
        if (how->trace_out && r.trace && hd_trace_write(r.trace, how->trace_out, error, sizeof error) != 0)
            result = hd_usage_error("replay", "%s", error);
        if (!how->loose && hd_verdict_save(path, &r, error, sizeof error) != 0)
            result = hd_usage_error("replay", "%s", error);
    }
    hd_replay_free(&r);
    return result;
}

/* What the test prints in the recorded order is known once it was run so. */
static int replay_comparing(Heddle__Witness **w, const struct hd_program *program, const struct how *how,
                            const char *path)
{
    char error[512];
    struct hd_replay recorded;
    struct hd_replay_options options = options_of(how, HD_OUTPUT_KEEP);
    if (hd_replay_recorded_order(&recorded, *w, program, &options, error, sizeof error) != 0)
        return hd_usage_error("replay", "%s", error);
    struct how comparing = *how;
    comparing.expected = &recorded.output;
    int result = how->loose ? replay_loose(w, program, &comparing, path) : replay(*w, program, &comparing, path);
    hd_replay_free(&recorded);
    return result;
}

static const char *program_name(const struct how *how, const Heddle__Witness *w)
{
    return how->argv ? how->argv[0] : how->program ? how->program : w->header->program;
}

static int confirm(const struct how *how, const char *path, const Heddle__Witness *w, const struct hd_program *program)
{
    return how->argv ? 0 : hd_confirm_command(how->confirming, path, w, program->path, how->program != NULL);
}

static int replay_file(const struct how *how, const char *path)
{
    char error[512];
    struct hd_program program;
    Heddle__Witness *w = hd_witness_read(path, error, sizeof error);
    if (!w)
        return hd_usage_error("replay", "%s", error);
    if (!*w->header->program) {
        heddle__witness__free_unpacked(w, NULL);
        return hd_usage_error("replay", "%s: from an imported trace; there is no program to rerun", path);
    }
    int result;
    if (hd_program_open(program_name(how, w), &program, error, sizeof error) != 0)
        result = hd_usage_error("replay", "%s", error);
    else if ((result = confirm(how, path, w, &program)) != 0)
        hd_program_close(&program);
    else {
        if (strcmp(program.build_id, w->header->build_id) != 0 && !how->loose)
            fprintf(stderr, "heddle replay: %s was built anew since the recording; places are not compared\n",
                    program.path);
        result = how->compare && !how->gdb ? replay_comparing(&w, &program, how, path)
                 : how->loose              ? replay_loose(&w, &program, how, path)
                                           : replay(w, &program, how, path);
        hd_program_close(&program);
    }
    heddle__witness__free_unpacked(w, NULL);
    return result;
}

/* ------------------------------------------------------------ several */

struct batch {
    const struct how *how;
    int status;
};

static void work(size_t job, FILE *out, void *data)
{
    const struct batch *b = data;
    int pipe_end = fileno(out), keep = dup(STDOUT_FILENO);
    dup2(pipe_end, STDOUT_FILENO);
    int status = replay_file(b->how, b->how->path[job * b->how->slices + b->how->slice]);
    if (hd_output_lost("replay", status == 2))
        status = 2;
    dup2(keep, STDOUT_FILENO);
    close(keep);
    fprintf(out, "%c", status);
}

static bool done(size_t job, const uint8_t *bytes, size_t size, void *data)
{
    (void)job;
    struct batch *b = data;
    if (!size) {
        b->status = 2;
        return true;
    }
    fwrite(bytes, 1, size - 1, stdout);
    b->status = worse(b->status, bytes[size - 1]);
    return true;
}

/* Before there are processes that cannot ask. What is wrong with a file is said when it is its turn. */
static int confirm_all(const struct how *how, size_t count)
{
    char error[512];
    int result = 0;
    for (size_t i = 0; i < count && result == 0 && how->confirming->asking; i++) {
        const char *path = how->path[i * how->slices + how->slice];
        struct hd_program program;
        Heddle__Witness *w = hd_witness_read(path, error, sizeof error);
        if (w && *w->header->program && hd_program_open(program_name(how, w), &program, error, sizeof error) == 0) {
            result = confirm(how, path, w, &program);
            hd_program_close(&program);
        }
        if (w)
            heddle__witness__free_unpacked(w, NULL);
    }
    how->confirming->asking = false;
    return result;
}

static int replay_all(const struct how *how)
{
    char error[512];
    struct batch b = { how, 0 };
    if (how->paths == 1 && how->slices == 1)
        return replay_file(how, how->path[0]);
    size_t count = how->paths > how->slice ? (how->paths - how->slice - 1) / how->slices + 1 : 0;
    if (confirm_all(how, count) != 0)
        return 2;
    if (hd_pool_run(count, (unsigned)how->jobs, work, done, &b, error, sizeof error) != 0)
        return hd_usage_error("replay", "%s", error);
    return b.status;
}

/* ------------------------------------------------------------ options */

static int parse_format(const char *text, struct how *how)
{
    how->json = strcmp(text, "json") == 0;
    if (how->json || strcmp(text, "text") == 0)
        return 0;
    return hd_usage_error("replay", "unknown format '%s'; there are text and json", text);
}

static int parse(int c, char **argv, struct how *how)
{
    uint64_t number;
    switch (c) {
    case 'n': return hd_option_number("replay", "-n", optarg, 1000000000, &how->repeat);
    case 'j': return hd_option_number("replay", "-j", optarg, 1024, &how->jobs);
    case 's': return hd_option_slice("replay", optarg, &how->slice, &how->slices);
    case 'f': return parse_format(optarg, how);
    case 'g': how->gdb = true; return 0;
    case 'b':
        how->gdb = true;
        how->batch = optarg;
        return 0;
    case 'o': how->trace_out = optarg; return 0;
    case 'p': how->program = optarg; return 0;
    case 'y': how->confirming->yes = true; return 0;
    case 'd': how->declare = optarg; return 0;
    case 't':
        if (hd_option_number("replay", "--timeout", optarg, 1000000, &number) != 0)
            return 2;
        how->time_limit = (unsigned)number;
        return 0;
    case 'm':
        if (hd_option_number("replay", "--memory", optarg, 1u << 24, &number) != 0)
            return 2;
        how->memory = (unsigned)number;
        return 0;
    case 'C': how->compare = true; return 0;
    case 'l': how->loose = true; return 0;
    case 'O': how->output = true; return 0;
    default: return hd_option_error("replay", c, argv);
    }
}

/* Where "--" stands, or argc. */
static int find_program(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return argc;
}

int hd_command_replay(int argc, char **argv)
{
    static const struct option options[] = { { "repeat", required_argument, NULL, 'n' },
                                             { "jobs", required_argument, NULL, 'j' },
                                             { "slice", required_argument, NULL, 's' },
                                             { "gdb", no_argument, NULL, 'g' },
                                             { "gdb-batch", required_argument, NULL, 'b' },
                                             { "trace-out", required_argument, NULL, 'o' },
                                             { "program", required_argument, NULL, 'p' },
                                             { "yes", no_argument, NULL, 'y' },
                                             { "timeout", required_argument, NULL, 't' },
                                             { "compare-output", no_argument, NULL, 'C' },
                                             { "loose", no_argument, NULL, 'l' },
                                             { "memory", required_argument, NULL, 'm' },
                                             { "output", no_argument, NULL, 'O' },
                                             { "format", required_argument, NULL, 'f' },
                                             { "declare", required_argument, NULL, 'd' },
                                             { "help", no_argument, NULL, 'h' },
                                             { 0 } };
    struct hd_confirming confirming = { .command = "replay", .asking = hd_can_ask() };
    struct how how = { .repeat = 1, .jobs = 1, .slices = 1, .time_limit = 60, .confirming = &confirming };
    int c, dashes = find_program(argc, argv);
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(dashes, argv, ":n:j:h", options, NULL)) != -1) {
        if (c == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (parse(c, argv, &how) != 0)
            return 2;
    }
    if (optind >= dashes)
        return hd_usage_error("replay", "no witness given; 'heddle check PROG' makes them");
    how.path = argv + optind;
    how.paths = (size_t)(dashes - optind);
    if (dashes + 1 < argc)
        how.argv = argv + dashes + 1;
    if (how.paths > 1 && (how.gdb || how.trace_out))
        return hd_usage_error("replay", "--gdb and --trace-out want one witness");
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error to be told */
    int status = replay_all(&how);
    hd_confirming_free(&confirming);
    return status;
}
