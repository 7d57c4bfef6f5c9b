/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer over every reader of files. The program's name says which: fuzz_trace, fuzz_witness,
 * fuzz_verdict, fuzz_std, fuzz_spd, fuzz_account (a trace through to its account), fuzz_suppression. Besides not crashing: what a reader accepts prints, and what
 * an import accepts or repairs is well-formed when it is read again. Built and run by ./dev test. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "analyze/suppression.h"
#include "proto/spd_data.h"
#include "proto/std_text.h"
#include "proto/trace_file.h"
#include "proto/trace_open.h"
#include "proto/witness_file.h"
#include "proto/witness_words.h"

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

static void (*fuzz)(const uint8_t *bytes, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct { const char *name; void (*run)(const uint8_t *, size_t); } targets[] = {
        {"fuzz_trace", fuzz_trace}, {"fuzz_witness", fuzz_witness}, {"fuzz_verdict", fuzz_verdict},
        {"fuzz_std", fuzz_std},     {"fuzz_spd", fuzz_spd},         {"fuzz_account", fuzz_account},
        {"fuzz_suppression", fuzz_suppression},
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
