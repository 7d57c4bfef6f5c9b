/* SPDX-License-Identifier: Apache-2.0
 * Everything that one recorded test leads to.
 *
 * Its alternatives are computed and rerun. What a rerun did instead is a recording, too: the
 * alternatives that remain when it is kept up are rerun next, and so on, until nothing new is found or
 * a limit is reached. So failures that need two or three reorderings are reached.
 *
 * An alternative is a set of things that did not happen and might have, each known by the events it is
 * about, whichever run it is found in. Each set is tried once. Runs in which every thread saw the same
 * are the same run, and looked at once. */
#ifndef HD_CAMPAIGN_H
#define HD_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"
#include "record/program.h"

struct hd_campaign_options {
    const struct hd_program *program;
    unsigned time_limit, jobs;
    unsigned depth;   /* reruns of reruns; 0: the recording's own alternatives only */
    bool further;     /* deeper, too, where the test has few */
    time_t until;     /* CLOCK_MONOTONIC seconds at which nothing new is begun; 0: never */
    struct hd_suppressions *suppressions; /* or NULL */
    /* After each rerun; `left` are computed and not yet run. Or NULL. */
    void (*progress)(const char *test, uint64_t done, uint64_t left, void *data);
    void (*told)(const Heddle__Witness *, const Heddle__Verdict *, void *data); /* each rerun, in order; or NULL */
    void *data;
};

struct hd_campaign;

/* `path` is DIR/<test>.trace; DIR/<test>-<n>.witness and .verdict are written as reruns end, of each finding
 * and verdict the one with the fewest context switches, and the trace of one that failed. The trace may go. */
struct hd_campaign *hd_campaign_new(const struct hd_campaign_options *, const struct hd_trace *, const char *path);
void hd_campaign_free(struct hd_campaign *);

/* All return 0, or -1 and one line in `error`, which is empty where a worker has said why. */
int hd_campaign_run(struct hd_campaign *, const struct hd_trace *, char *error, size_t error_size);

/* The same for a further recording of the test. One that failed is a finding, and its schedule the witness;
 * unless the test is known to end so. */
int hd_campaign_feed(struct hd_campaign *, const struct hd_trace *, char *error, size_t error_size);

/* Writes DIR/<test>.account. */
int hd_campaign_save(struct hd_campaign *, char *error, size_t error_size);

const Heddle__Account *hd_campaign_account(const struct hd_campaign *);
bool hd_campaign_found_news(const struct hd_campaign *); /* the last run or feed was unlike all before */

#endif
