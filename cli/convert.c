/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "proto/frame.h"
#include "proto/memory.h"
#include "proto/std_text.h"
#include "proto/temp_file.h"
#include "proto/trace_open.h"

static const char usage[] =
    "usage: heddle convert [--repair] [--to std|trace] [-o OUT] IN\n"
    "\n"
    "Reads a trace (heddle's own, STD text, SPD data) and writes it as another kind.\n"
    "\n"
    "  -o, --output OUT   OUT.std or OUT.trace; default: standard output, as STD\n"
    "  --to FORMAT        std or trace, whatever OUT is called\n"
    "  --repair           make a trace well-formed that is not; what was done is said\n"
    "  --help             this text\n"
    "\n"
    "A trace that cannot have happened (a lock acquired while another thread holds it,\n"
    "released by a stranger; a thread that runs before its fork or after its end or join)\n"
    "is refused with the line or event named, exit 2, unless --repair is given.\n";

enum format { BY_NAME, STD, TRACE };

static enum format format_of(const char *word)
{
    return strcmp(word, "std") == 0 ? STD : strcmp(word, "trace") == 0 ? TRACE : BY_NAME;
}

static void say_repairs(const char *name, const struct hd_repairs *repairs)
{
    size_t total = hd_repairs_total(repairs);
    fprintf(stderr, "heddle convert: %s: %zu repair%s", name, total, total == 1 ? "" : "s");
    const char *before = ": ";
    for (int i = 0; i < HD_FAULT_COUNT; i++) {
        if (!repairs->count[i])
            continue;
        char *words = hd_repair_words((enum hd_fault)i, repairs->count[i]);
        fprintf(stderr, "%s%s", before, words);
        before = ", ";
        free(words);
    }
    fputc('\n', stderr);
}

static void say_left_out(const char *name, const size_t *left_out)
{
    const char *before = "";
    for (unsigned kind = 0; kind < HD_KIND_COUNT; kind++) {
        if (!left_out[kind])
            continue;
        if (!*before)
            fprintf(stderr, "heddle convert: %s: STD has no word for some events, left out: ", name);
        fprintf(stderr, "%s%zu %s", before, left_out[kind], hd_kind_word(kind));
        before = ", ";
    }
    if (*before)
        fputc('\n', stderr);
}

static int write_std(const struct hd_trace *trace, const char *out, const char *in)
{
    char error[512];
    size_t left_out[HD_KIND_COUNT] = {0};
    struct hd_temp_file temp;
    if (!out) {
        hd_std_print(trace, stdout, left_out);
        if (hd_output_lost("convert", false))
            return 2;
    } else {
        if (hd_temp_open(&temp, out, error, sizeof error) != 0)
            return hd_usage_error("convert", "%s", error);
        hd_std_print(trace, temp.stream, left_out);
        if (hd_temp_commit(&temp, out, error, sizeof error) != 0)
            return hd_usage_error("convert", "%s", error);
    }
    say_left_out(in, left_out);
    return 0;
}

static int write_trace(const struct hd_trace *trace, const char *out)
{
    char error[512];
    if (!out && isatty(STDOUT_FILENO))
        return hd_usage_error("convert", "a trace is not for a terminal; give -o OUT.trace");
    if (hd_trace_write(trace, out ? out : "/dev/stdout", error, sizeof error) != 0)
        return hd_usage_error("convert", "%s", error);
    return 0;
}

static int convert(const char *in, const char *out, enum format to, bool repair)
{
    char error[512];
    struct hd_repairs repairs = {0};
    size_t size;
    uint8_t *bytes = hd_file_read(in, &size, error, sizeof error);
    if (!bytes)
        return hd_usage_error("convert", "%s", error);
    struct hd_trace *trace = hd_trace_open_bytes(bytes, size, in, repair ? &repairs : NULL, error, sizeof error);
    free(bytes);
    if (!trace)
        return hd_usage_error("convert", "%s", error);
    if (trace->truncated)
        fprintf(stderr, "heddle convert: %s: cut; the %zu events before the cut are converted\n", in, trace->events);
    if (repair)
        say_repairs(in, &repairs);
    int result = to == TRACE ? write_trace(trace, out) : write_std(trace, out, in);
    hd_trace_free(trace);
    return result;
}

int hd_command_convert(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"to", required_argument, NULL, 't'},
                                            {"repair", no_argument, NULL, 'r'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *out = NULL;
    enum format to = BY_NAME;
    bool repair = false;
    int c;
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        switch (c) {
        case 'o': out = optarg; break;
        case 'r': repair = true; break;
        case 't':
            to = format_of(optarg);
            if (to == BY_NAME)
                return hd_usage_error("convert", "unknown format '%s'; there are std and trace", optarg);
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return hd_option_error("convert", c, argv);
        }
    }
    if (optind + 1 != argc)
        return hd_usage_error("convert", "one file expected; see 'heddle convert --help'");
    if (to == BY_NAME && out) {
        const char *dot = strrchr(out, '.');
        to = dot ? format_of(dot + 1) : BY_NAME;
        if (to == BY_NAME)
            return hd_usage_error("convert", "%s: neither .std nor .trace; say --to std or --to trace", out);
    }
    return convert(argv[optind], out, to, repair);
}
