/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer over every reader of files and options. The program's name says which: fuzz_TARGET, of the targets
 * in the table below; account is a trace through to its account, folder a report of a whole folder. Besides not
 * crashing: what a reader accepts prints, becomes a schedule, adds up; what an import accepts or repairs is
 * well-formed when it is read again; what the options accept is in its range. Built and run by ./dev test. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "analyze/suppression.h"
#include "cli/cli.h"
#include "cli/compiler_line.h"
#include "cli/options.h"
#include "proto/account_file.h"
#include "proto/memory.h"
#include "proto/spd_data.h"
#include "proto/std_text.h"
#include "proto/trace_file.h"
#include "proto/trace_open.h"
#include "proto/witness_file.h"
#include "proto/witness_words.h"
#include "record/declare.h"
#include "record/program.h"
#include "replay/schedule.h"
#include "report/baseline.h"
#include "report/formats.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char error[512];

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s: %s\n", what, error);
    abort();
}

static char *print(const struct hd_trace *trace, size_t *size)
{
    char *text = NULL;
    size_t left_out[HD_KIND_COUNT] = {0};
    FILE *stream = open_memstream(&text, size);
    must(stream != NULL, "no memory stream");
    hd_std_print(trace, stream, left_out);
    fclose(stream);
    return text;
}

static void fuzz_trace(const uint8_t *bytes, size_t size)
{
    struct hd_trace *trace = hd_trace_parse(bytes, size, "fuzz", error, sizeof error);
    size_t length;
    if (trace)
        free(print(trace, &length));
    hd_trace_free(trace);
    hd_trace_free(hd_trace_open_bytes(bytes, size, "fuzz", NULL, error, sizeof error));
}

static void fuzz_witness(const uint8_t *bytes, size_t size)
{
    Heddle__Witness *w = hd_witness_parse(bytes, size, "fuzz", error, sizeof error);
    if (!w)
        return;
    for (size_t i = 0; i < w->n_slice; i++)
        free(hd_slice_words(w, w->slice[i]));
    for (size_t i = 0; i < w->finding->n_role; i++)
        free(hd_step_words(w, w->finding->role[i]->at));
    heddle__witness__free_unpacked(w, NULL);
}

/* What a child would be given: every index inside, every step once, whether or not the program is the recorded one. */
static void must_be_a_schedule(const Heddle__Witness *w, char *build_id)
{
    struct hd_program program = {w->header->program, build_id};
    struct hd_schedule s;
    hd_schedule_make(&s, w, &program);
    uint32_t checks = 0;
    must(s.threads == w->n_thread && s.slices == w->n_slice, "a thread or a slice is lost");
    for (uint32_t i = 0; i < s.threads; i++)
        must(s.thread[i].parent == UINT32_MAX || s.thread[i].parent < i, "a parent after its child");
    for (uint32_t i = 0; i < s.slices; i++) {
        must(s.slice[i].thread < s.threads && s.slice[i].first_check == checks, "a slice is displaced");
        checks += s.slice[i].checks;
    }
    must(checks == s.checks, "the steps of the slices are not all steps");
    hd_schedule_free(&s);
}

static void fuzz_schedule(const uint8_t *bytes, size_t size)
{
    Heddle__Witness *w = hd_witness_parse(bytes, size, "fuzz", error, sizeof error);
    if (!w)
        return;
    must_be_a_schedule(w, w->header->build_id);
    must_be_a_schedule(w, "another");
    heddle__witness__free_unpacked(w, NULL);
}

static void fuzz_verdict(const uint8_t *bytes, size_t size)
{
    Heddle__VerdictFile *verdicts = hd_verdict_parse(bytes, size, "fuzz", error, sizeof error);
    if (verdicts)
        heddle__verdict_file__free_unpacked(verdicts, NULL);
}

static void must_be_well_formed(struct hd_trace *trace, const char *what)
{
    size_t length;
    char *text = print(trace, &length);
    struct hd_trace *again = hd_std_parse((const uint8_t *)text, length, "again", NULL, error, sizeof error);
    must(again != NULL, what);
    hd_trace_free(again);
    free(text);
    hd_trace_free(trace);
}

static void fuzz_import(const uint8_t *bytes, size_t size,
                        struct hd_trace *(*parse)(const uint8_t *, size_t, const char *, struct hd_repairs *, char *,
                                                  size_t))
{
    struct hd_repairs repairs = {0};
    struct hd_trace *strict = parse(bytes, size, "fuzz", NULL, error, sizeof error);
    struct hd_trace *repaired = parse(bytes, size, "fuzz", &repairs, error, sizeof error);
    must(!strict || repaired, "a well-formed trace is refused with repair");
    must(!strict || hd_repairs_total(&repairs) == 0, "a well-formed trace is repaired");
    must(!repaired || strict || hd_repairs_total(&repairs) > 0, "a refused trace needs no repair");
    if (strict)
        must_be_well_formed(strict, "an accepted trace is refused later");
    if (repaired)
        must_be_well_formed(repaired, "a repaired trace is refused later");
}

static void fuzz_std(const uint8_t *bytes, size_t size)
{
    fuzz_import(bytes, size, hd_std_parse);
}

static void fuzz_spd(const uint8_t *bytes, size_t size)
{
    fuzz_import(bytes, size, hd_spd_parse);
}

static uint64_t lines_with(const char *text, const char *verdict)
{
    uint64_t count = 0;
    for (const char *at = text; (at = strstr(at, verdict)) != NULL; at++)
        count++;
    return count;
}

/* Whatever the trace says: the account closes, its lines are the counts, and every witness holds. */
static void fuzz_account(const uint8_t *bytes, size_t size)
{
    struct hd_trace *trace = hd_trace_open_bytes(bytes, size, "fuzz", NULL, error, sizeof error);
    char *text = NULL;
    size_t length;
    if (!trace || trace->events > 2000 || trace->threads > 64) {
        hd_trace_free(trace);
        return;
    }
    for (size_t i = 0; i < trace->modules; i++) /* the files of this machine have no part in it */
        trace->module[i].path[0] = 0;
    struct hd_analyze_options options = {.kinds = HD_KINDS_ALL, .state_budget = 200, .verify = true,
                                         .account = open_memstream(&text, &length)};
    struct hd_symbols *symbols = hd_symbols_new(trace);
    struct hd_analysis *a = hd_analyze(trace, symbols, &options);
    fclose(options.account);
    must(a->candidates == a->impossible + a->feasible + a->open, "the columns do not add up");
    must(lines_with(text, "\n") == a->candidates, "not a line a candidate");
    must(lines_with(text, "\twitness\t") == a->feasible, "not a line a witness");
    must(lines_with(text, "\topen\t") == a->open, "not a line an open one");
    for (size_t i = 0; i < a->witnesses; i++)
        free(hd_suppression_words(a->witness[i]));
    free(text);
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    hd_trace_free(trace);
}

static void fuzz_suppression(const uint8_t *bytes, size_t size)
{
    struct hd_suppressions *s = hd_suppressions_new();
    hd_suppressions_parse(s, (const char *)bytes, size, "fuzz", error, sizeof error);
    hd_suppressions_free(s);
}

static void fuzz_account_file(const uint8_t *bytes, size_t size)
{
    Heddle__Account *a = hd_account_parse(bytes, size, "fuzz", error, sizeof error);
    if (!a)
        return;
    struct hd_tally one = hd_tally_of(a), sum = {0};
    hd_tally_add(&sum, &one);
    must(!hd_account_closed(a) || (!a->open && !a->diverged), "closed, and yet open");
    heddle__account__free_unpacked(a, NULL);
}

static void fuzz_baseline(const uint8_t *bytes, size_t size)
{
    struct hd_baseline b;
    if (hd_baseline_parse(&b, bytes, size, "fuzz", error, sizeof error) != 0)
        return;
    for (size_t i = 0; i < b.ids; i++)
        must(*b.id[i] && *b.id[i] != '#' && !strchr(b.id[i], '\n') && hd_baseline_has(&b, b.id[i]), "no id");
    hd_baseline_free(&b);
}

/* The next line, or all that is left, as a string; the caller frees. */
static char *next_line(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *newline = memchr(*at, '\n', (size_t)(end - *at));
    size_t length = (size_t)((newline ? newline : end) - *at);
    char *line = hd_alloc(length + 1);
    memcpy(line, *at, length);
    *at += length + (newline != NULL);
    return line;
}

static void fuzz_declaration(const uint8_t *bytes, size_t size)
{
    for (const uint8_t *at = bytes, *end = bytes + size; at < end;) {
        struct hd_declaration d;
        char *line = next_line(&at, end);
        if (hd_declare_parse(line, &d, error, sizeof error) == HD_DECLARE_ONE) {
            must(*d.name && d.arguments <= HD_DECLARED_ARGUMENTS, "a declaration of nothing");
            must(d.object ? d.object <= d.arguments : *d.object_name != 0, "a declaration without an object");
            must(d.kind != HD_TRIES || d.has_success, "a try that cannot succeed");
        }
        free(line);
    }
}

/* In place of the one that prints. */
int hd_usage_error(const char *command, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    must(*command && vsnprintf(error, sizeof error, fmt, args) > 0, "an error without words");
    va_end(args);
    return 2;
}

static void fuzz_option(const uint8_t *bytes, size_t size)
{
    char *text = hd_alloc(size + 1);
    uint64_t number, k, n;
    unsigned kinds, seconds;
    memcpy(text, bytes, size);
    if (hd_option_number("fuzz", "-n", text, 1024, &number) == 0)
        must(number <= 1024, "a number above the bound");
    if (hd_option_seconds("fuzz", "--budget", text, &seconds) == 0)
        must(seconds <= 1000000, "seconds above the bound");
    if (hd_option_slice("fuzz", text, &k, &n) == 0)
        must(k < n, "a slice out of the whole");
    if (hd_option_kinds("fuzz", text, &kinds) == 0)
        must(kinds && !(kinds & ~(unsigned)HD_KINDS_ALL), "no kinds");
    free(text);
}

/* A folder of this process's own; what is in it goes with it. */
static char folder[64];

static void leave_folder(void)
{
    rmdir(folder);
}

static char *in_folder(const char *name)
{
    if (!*folder) {
        const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(folder, sizeof folder, "%s/heddle-fuzz-XXXXXX", place);
        must(mkdtemp(folder) != NULL, "no folder");
        atexit(leave_folder);
    }
    return hd_format("%s/%s", folder, name);
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
    char *path = in_folder(name);
    FILE *f = fopen(path, "wbe");
    must(f && fwrite(bytes, 1, size, f) == size, "a file cannot be written");
    fclose(f);
    free(path);
}

/* The first line is the command's own; the others are a response file that may name itself: where it says \1. */
static void fuzz_compiler_line(const uint8_t *bytes, size_t size)
{
    struct hd_compiler_line line;
    const uint8_t *at = bytes, *end = bytes + size;
    char *argv[34] = {"cc"}, *first = next_line(&at, end), *rest = first, *path = in_folder("self"), *text = NULL;
    int argc = 1;
    size_t length = 0;
    while (argc < 32 && (argv[argc] = strsep(&rest, " ")) != NULL)
        argc++;
    FILE *f = open_memstream(&text, &length);
    for (; at < end; at++)
        if (*at == 1)
            fprintf(f, "@%s", path);
        else
            fputc(*at, f);
    fclose(f);
    write_file("self", (const uint8_t *)text, length);
    argv[argc] = hd_format("@%s", path);
    hd_compiler_line_read(&line, argc + 1, argv);
    unlink(path);
    free(path);
    free(text);
    free(argv[argc]);
    free(first);
}

/* Files of one folder: a byte says which, two how long. Whatever they hold, all formats come of it. */
static void fuzz_folder(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"t.trace", "t-1.witness", "t-1.verdict", "t-1.trace", "t.account", "t-2.witness"};
    static void (*const formats[])(const struct hd_report *, struct hd_text *) = {
        hd_report_html, hd_report_junit, hd_report_sarif, hd_report_json, hd_report_perfetto};
    const size_t files = sizeof names / sizeof *names;
    for (size_t at = 0; at + 3 <= size;) {
        size_t length = bytes[at + 1] | (size_t)bytes[at + 2] << 8, name = bytes[at] % files;
        at += 3;
        length = length < size - at ? length : size - at;
        write_file(names[name], bytes + at, length);
        at += length;
    }
    struct hd_report_options options = {0};
    struct hd_report *r = *folder ? hd_report_gather(folder, &options, error, sizeof error) : NULL;
    for (size_t i = 0; r && i < sizeof formats / sizeof *formats; i++) {
        struct hd_text text = {0};
        formats[i](r, &text);
        must(text.used && strlen(text.s) == text.used, "a format is empty");
        hd_text_free(&text);
    }
    if (r)
        hd_report_free(r);
    for (size_t i = 0; i < files; i++) {
        char *path = in_folder(names[i]);
        unlink(path);
        free(path);
    }
}

static void (*fuzz)(const uint8_t *bytes, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct { const char *name; void (*run)(const uint8_t *, size_t); } targets[] = {
        {"fuzz_trace", fuzz_trace}, {"fuzz_witness", fuzz_witness}, {"fuzz_verdict", fuzz_verdict},
        {"fuzz_std", fuzz_std},     {"fuzz_spd", fuzz_spd},         {"fuzz_account", fuzz_account},
        {"fuzz_suppression", fuzz_suppression},       {"fuzz_schedule", fuzz_schedule},
        {"fuzz_account_file", fuzz_account_file},     {"fuzz_baseline", fuzz_baseline},
        {"fuzz_declaration", fuzz_declaration},       {"fuzz_option", fuzz_option},
        {"fuzz_compiler_line", fuzz_compiler_line},   {"fuzz_folder", fuzz_folder},
    };
    const char *slash = strrchr((*argv)[0], '/'), *name = slash ? slash + 1 : (*argv)[0];
    (void)argc;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(name, targets[i].name) == 0)
            fuzz = targets[i].run;
    must(fuzz != NULL, "the program's name is no target");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz(bytes, size);
    return 0;
}
