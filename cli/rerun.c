/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rerun.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/seen.h"
#include "proto/memory.h"
#include "proto/witness_file.h"
#include "replay/chain.h"
#include "replay/minimise.h"
#include "replay/verdict.h"

#define MINIMISE_RUNS 16
#define LONGEST_KEPT 20000 /* events of a failing rerun's trace */

static char *with_ending(const char *witness_path, const char *ending)
{
    return hd_format("%.*s%s", (int)(strlen(witness_path) - strlen(".witness")), witness_path, ending);
}

static void expect(Heddle__Witness *w, const struct hd_replay *r)
{
    w->expected = hd_alloc(sizeof *w->expected);
    heddle__expected__init(w->expected);
    w->expected->outcome = (Heddle__Outcome)r->outcome;
    w->expected->detail = r->detail;
    w->expected->text = hd_strdup(r->text);
}

static int write_verdict(const struct hd_rerun *one, const Heddle__Verdict *v, char *error, size_t size)
{
    char *path = with_ending(one->witness_path, ".verdict");
    int failed = hd_verdict_write(path, v, error, size);
    free(path);
    return failed;
}

static void send(FILE *out, const Heddle__Verdict *v, const struct hd_trace *trace)
{
    size_t size = heddle__verdict__get_packed_size(v);
    uint8_t *bytes = hd_alloc(size + 1);
    uint64_t signature = trace ? hd_run_signature(trace) : 0;
    heddle__verdict__pack(v, bytes);
    fwrite(&signature, sizeof signature, 1, out);
    fwrite(bytes, 1, size, out);
    free(bytes);
}

/* A shorter schedule that takes much longer than the whole one leads to a test that hangs. */
static unsigned limit_of_shorter(unsigned limit, const struct timespec *began)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ms = (uint64_t)((now.tv_sec - began->tv_sec) * 1000 + (now.tv_nsec - began->tv_nsec) / 1000000);
    uint64_t shorter = 2 + 20 * ms / 1000;
    return limit && limit < shorter ? limit : (unsigned)shorter;
}

/* Run once more as it was shortened: what is kept is what its replay will do. */
static int shorten(struct hd_rerun *one, struct hd_replay *r, const struct hd_replay_options *options,
                   unsigned limit, char *error, size_t size)
{
    expect(one->witness, r);
    if (!one->shorten || !hd_minimise(one->witness, one->program, r, limit, MINIMISE_RUNS))
        return 0;
    hd_replay_free(r);
    return hd_replay_run(r, one->witness, one->program, options, error, size);
}

static int write_files(struct hd_rerun *one, const struct hd_replay *r, Heddle__Verdict *v, char *error, size_t size)
{
    bool fails = r->kind == HEDDLE__VERDICT__KIND__FAILING;
    struct hd_trace *recorded = fails ? hd_trace_read(one->recorded, error, size) : NULL;
    struct hd_chain chain = hd_chain_make(recorded, r->trace, r->text);
    int failed = hd_witness_write(one->witness_path, one->witness, error, size);
    v->chain = chain.link;
    v->n_chain = chain.links;
    if (!failed)
        failed = write_verdict(one, v, error, size);
    if (!failed && fails && r->trace && r->trace->events <= LONGEST_KEPT)
        failed = hd_trace_write(r->trace, one->trace_path, error, size);
    if (!failed && !fails && r->trace && one->next_path)
        failed = hd_trace_write(r->trace, one->next_path, error, size);
    v->chain = NULL;
    v->n_chain = 0;
    hd_chain_free(&chain);
    hd_trace_free(recorded);
    return failed;
}

void hd_rerun_do(struct hd_rerun *one, FILE *out)
{
    char error[512];
    struct hd_replay_options options = { .output = HD_OUTPUT_DROP,
                                         .time_limit = one->time_limit,
                                         .recorded_beside = one->witness_path };
    struct hd_replay r = { 0 };
    struct timespec began;
    clock_gettime(CLOCK_MONOTONIC, &began);
    int failed = hd_replay_run(&r, one->witness, one->program, &options, error, sizeof error);
    if (!failed && r.kind == HEDDLE__VERDICT__KIND__FAILING)
        failed = shorten(one, &r, &options, limit_of_shorter(options.time_limit, &began), error, sizeof error);
    if (!failed) {
        Heddle__Verdict v = hd_verdict_of(one->witness_path, &r);
        v.context_switches = one->witness->context_switches;
        failed = write_files(one, &r, &v, error, sizeof error);
        if (!failed)
            send(out, &v, r.trace);
    }
    if (failed)
        hd_usage_error("check", "%s", error);
    hd_replay_free(&r);
}

Heddle__Verdict *hd_rerun_result(const uint8_t *bytes, size_t size, uint64_t *signature)
{
    if (size < sizeof *signature)
        return NULL;
    memcpy(signature, bytes, sizeof *signature);
    return heddle__verdict__unpack(NULL, size - sizeof *signature, bytes + sizeof *signature);
}

/* ------------------------------------------------------------ traces for a while */

struct reruns {
    const char *stem;
    int length;
    const uint32_t *last;
    pid_t process; /* a worker's exit takes nothing away */
    struct reruns *next;
};
static struct reruns *under_way;

static void remove_reruns(const struct reruns *r)
{
    char path[PATH_MAX];
    for (uint32_t n = 1; r->process == getpid() && n <= *r->last; n++)
        if (snprintf(path, sizeof path, "%.*s-%" PRIu32 ".rerun", r->length, r->stem, n) < (int)sizeof path)
            unlink(path);
}

static void remove_all_reruns(void)
{
    for (const struct reruns *r = under_way; r; r = r->next)
        remove_reruns(r);
}

void hd_reruns_begin(const char *trace_path, const uint32_t *last)
{
    static bool at_end;
    if (!at_end)
        hd_at_end(remove_all_reruns);
    at_end = true;
    struct reruns *r = hd_alloc(sizeof *r);
    *r = (struct reruns){ trace_path, (int)(strlen(trace_path) - strlen(".trace")), last, getpid(), under_way };
    under_way = r;
}

void hd_reruns_end(const char *trace_path)
{
    struct reruns **at = &under_way;
    while (*at && (*at)->stem != trace_path)
        at = &(*at)->next;
    struct reruns *r = *at;
    if (!r)
        return;
    *at = r->next;
    remove_reruns(r);
    free(r);
}

void hd_rerun_remove(const char *witness_path)
{
    static const char *const endings[] = { ".witness", ".verdict", ".trace" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = with_ending(witness_path, endings[i]);
        unlink(path);
        free(path);
    }
}
