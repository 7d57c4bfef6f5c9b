/* SPDX-License-Identifier: Apache-2.0
 * All traces of one run of a program, in a folder, and where asked for in memory. */
#ifndef HD_RECORDING_H
#define HD_RECORDING_H

#include "proto/trace.h"
#include "record/program.h"
#include "record/session.h"

struct hd_recording {
    struct hd_program program;
    struct hd_trace **trace; /* without their events, unless loaded */
    char **path; /* DIR/<test>.trace */
    uint64_t *events;
    size_t traces;
    char *declare; /* absolute; NULL: none */
    struct hd_session_result result;

    const char *dir;
    size_t paths, room;
    bool failed, leave_others;
    char *error;
    size_t error_size;
};

struct hd_recording_options {
    const char *dir;
    uint64_t seed;
    bool priorities;      /* see record/pct_policy.c */
    uint64_t length;      /* scheduling points, about */
    bool leave_others;    /* files that are there already are not replaced */
    bool keep_repeats;
    enum hd_output output;
    unsigned time_limit;
    const char *declare; /* file of declared primitives; NULL: $HEDDLE_DECLARE */
    bool load;            /* traces come with their events */
    unsigned memory, size; /* MB: of the recorder, of a trace; 0: the default */
};

/* Runs argv[0] and writes one trace a test. 0, or -1 and one line in `error`. */
int hd_recording_make(struct hd_recording *, char *const *argv, const struct hd_recording_options *, char *error,
                      size_t error_size);
void hd_recording_free(struct hd_recording *);

#endif
