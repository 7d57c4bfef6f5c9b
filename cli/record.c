/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/known_commands.h"
#include "cli/options.h"
#include "record/recording.h"

static const char usage[] =
    "usage: heddle record [-o DIR] [--seed N] [--timeout SECONDS] [--] PROG [ARGS]\n"
    "\n"
    "Runs PROG, built with 'heddle cc', and writes DIR/<test>.trace for every test.\n"
    "\n"
    "  -o, --output DIR    folder of the traces (default: heddle.out)\n"
    "  --seed N            switch threads at random, by N (default: run until blocked)\n"
    "  --priorities N      with --seed: threads run by priority, which changes at some points of the\n"
    "                      N that a run has, about\n"
    "  --timeout SECONDS   end the program after that time (default: never)\n"
    "  --declare FILE      primitives of your own, one a line (default: $HEDDLE_DECLARE)\n"
    "  --all               keep every access, also repeated ones\n"
    "  --memory MB         memory of the recorder (default: 128)\n"
    "  --size MB           size of a trace (default: 32)\n"
    "  --help              this text\n"
    "\n"
    "Exit status: PROG's; 2 error; 77 nothing was recorded; 124 time limit.\n";

/* Ends as the program did. */
static int exit_as(const struct hd_session_result *result)
{
    switch (result->ending) {
    case HD_ENDING_SIGNAL: {
        struct rlimit none = { 0, 0 };
        setrlimit(RLIMIT_CORE, &none);
        signal(result->status, SIG_DFL);
        raise(result->status);
        return 128 + result->status;
    }
    case HD_ENDING_DEADLOCK: return 1;
    case HD_ENDING_TIME: return 124;
    default: return result->status;
    }
}

static void summary(const struct hd_recording *r, size_t i)
{
    const struct hd_trace *t = r->trace[i];
    fprintf(stderr, "heddle: %s: %" PRIu64 " events, %zu thread%s, %s%s%s\n", r->path[i], r->events[i], t->threads,
            t->threads == 1 ? "" : "s", hd_outcome_word(t->outcome),
            t->reduced ? "; budget reached: of later accesses, only those to shared words" : "",
            t->capped ? "; size limit reached: no later accesses" : "");
}

static int record(char *const *argv, const struct hd_recording_options *options)
{
    char error[512];
    struct hd_recording r;
    int result, failed = hd_recording_make(&r, argv, options, error, sizeof error);
    if (r.program.path)
        hd_command_was_given(r.program.path, argv, r.declare);
    if (failed)
        result = hd_usage_error("record", "%s", error);
    else {
        for (size_t i = 0; i < r.traces; i++)
            summary(&r, i);
        result = exit_as(&r.result);
        if (r.traces == 0 && result == 0) {
            fprintf(stderr, "heddle record: %s ran no test; does it include the header for its framework, say <heddle/cunit.h>?\n", argv[0]);
            result = 77;
        }
    }
    hd_recording_free(&r);
    return result;
}

int hd_command_record(int argc, char **argv)
{
    static const struct option options[] = { { "output", required_argument, NULL, 'o' },
                                             { "seed", required_argument, NULL, 's' },
                                             { "priorities", required_argument, NULL, 'p' },
                                             { "timeout", required_argument, NULL, 't' },
                                             { "all", no_argument, NULL, 'a' },
                                             { "declare", required_argument, NULL, 'd' },
                                             { "memory", required_argument, NULL, 'm' },
                                             { "size", required_argument, NULL, 'z' },
                                             { "help", no_argument, NULL, 'h' },
                                             { 0 } };
    struct hd_recording_options how = { .dir = "heddle.out" };
    uint64_t number;
    int c;
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(argc, argv, "+:o:h", options, NULL)) != -1) {
        switch (c) {
        case 'o': how.dir = optarg; break;
        case 's':
            if (hd_option_number("record", "--seed", optarg, UINT64_MAX, &how.seed) != 0)
                return 2;
            break;
        case 'p':
            if (hd_option_number("record", "--priorities", optarg, UINT32_MAX, &how.length) != 0)
                return 2;
            how.priorities = true;
            break;
        case 't':
            if (hd_option_number("record", "--timeout", optarg, 1000000, &number) != 0)
                return 2;
            how.time_limit = (unsigned)number;
            break;
        case 'a': how.keep_repeats = true; break;
        case 'd': how.declare = optarg; break;
        case 'm':
            if (hd_option_number("record", "--memory", optarg, 1 << 20, &number) != 0)
                return 2;
            how.memory = (unsigned)number;
            break;
        case 'z':
            if (hd_option_number("record", "--size", optarg, 1 << 20, &number) != 0)
                return 2;
            how.size = (unsigned)number;
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return hd_option_error("record", c, argv);
        }
    }
    if (optind >= argc)
        return hd_usage_error("record", "no program given; see 'heddle record --help'");
    return record(argv + optind, &how);
}
