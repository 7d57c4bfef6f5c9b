/* SPDX-License-Identifier: Apache-2.0
 * One run of the program under test, seen from its parent: makes the shared
 * mapping, starts the program, drains the ring until the program is over.
 *
 * Whatever the program does to itself, the records it appended reach the drain. */
#ifndef HD_SESSION_H
#define HD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/output.h"
#include "record/shared.h"

struct hd_drain;

enum hd_output { HD_OUTPUT_PASS, HD_OUTPUT_DROP, HD_OUTPUT_KEEP };

struct hd_session_options {
    const char *program;  /* path */
    char *const *argv;    /* argv[0] as the user wrote it */
    char *const *wrapper; /* gdb and its arguments; the program's own are part of them. NULL: none */
    const char *cwd;      /* NULL: here */
    const char *declare;  /* file of declared primitives, absolute; NULL or "": none */
    enum hd_mode mode;
    uint64_t seed;
    bool priorities;      /* record by priorities, drawn from the seed */
    uint64_t length;      /* scheduling points that a run has, about; 0: unknown */
    bool keep_repeats;
    uint64_t accesses_max; /* that are kept, 0: all */
    enum hd_output output;
    unsigned time_limit;  /* seconds, 0: none */
    unsigned memory;      /* MB of private writable memory, 0: no limit; not with a wrapper */
    const char *test;     /* replay: "suite\ntest" */
    const struct hd_plan_thread *thread;
    const struct hd_plan_slice *slice;
    const struct hd_plan_check *check;
    uint32_t threads, slices, checks;
};

enum hd_ending {
    HD_ENDING_EXIT,
    HD_ENDING_SIGNAL,
    HD_ENDING_DEADLOCK,
    HD_ENDING_DIVERGED,
    HD_ENDING_TIME,
    HD_ENDING_INTERRUPTED /* heddle was told to end (interrupt.h) */
};

struct hd_session_result {
    enum hd_ending ending;
    int status; /* exit status or signal */
    bool apart; /* it was a test in a process of its own that ended so */
    uint32_t slices_done;
    bool aslr_off;
    struct hd_divergence divergence;
    struct hd_text output, errors; /* HD_OUTPUT_KEEP */
};

#define HD_DEFAULT_QUANTUM 50000
#define HD_DEFAULT_BUDGET 250000
#define HD_DEFAULT_MEMORY 128 /* MB */
#define HD_DEFAULT_SIZE 32

/* Runs the program to its end. 0, or -1 and one line in `error`. */
int hd_session_run(const struct hd_session_options *, struct hd_drain *, struct hd_session_result *, char *error,
                   size_t error_size);

#endif
