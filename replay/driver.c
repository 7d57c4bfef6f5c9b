/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/memory.h"
#include "record/declare.h"
#include "record/drain.h"
#include "record/interrupt.h"
#include "replay/confirm.h"
#include "replay/race.h"
#include "replay/schedule.h"
#include "symbols/ending.h"
#include "symbols/symbols.h"

static void keep(struct hd_trace *trace, struct hd_trace_writer *writer, void *data)
{
    (void)writer;
    struct hd_replay *r = data;
    hd_trace_free(r->trace);
    r->trace = trace;
}

static const char *thread_path(const struct hd_replay *r, uint32_t id)
{
    return r->trace && id < r->trace->threads ? r->trace->thread[id].path : "?";
}

/* "synchronization 3 (lock)", "read 2 after synchronization 3". */
static char *event_words(uint32_t kind, uint32_t n, uint32_t k)
{
    if (kind == HD_NONE)
        return hd_strdup("its end");
    if (hd_kind_is_access(kind))
        return hd_format("%s, access %u after its synchronization %u", hd_kind_word(kind), k + 1, n);
    return hd_format("%s, its synchronization %u", hd_kind_word(kind), n);
}

static char *place_words(struct hd_replay *r, uint64_t pc)
{
    char *text = r->trace ? hd_ending_place(r->trace, pc) : NULL;
    return text ? text : hd_strdup("");
}

/* "`m` from bank.c:30": what the thread waits for, and where its holder took it. */
static char *held_words(const struct hd_replay *r, const struct hd_divergence *d)
{
    const struct hd_trace *t = r->trace;
    uint32_t object = HD_NO_INDEX;
    for (size_t i = 0; t && i < t->events; i++)
        if (t->event[i].thread == d->thread && t->event[i].kind == HD_BLOCKED)
            object = t->event[i].object;
    if (!t || object >= t->objects)
        return hd_strdup("it");
    struct hd_symbols *s = hd_symbols_new(t);
    char *at = hd_taken_at(t, d->holder - 1, object);
    char *words = hd_format("`%s`%s%s", hd_symbols_object(s, object), *at ? " from " : "", at);
    hd_symbols_free(s);
    free(at);
    return words;
}

static char *blocked_words(const struct hd_replay *r, const struct hd_divergence *d, const char *wanted,
                           const char *got, const char *place, bool loose)
{
    unsigned step = d->slice + 1;
    if (!d->holder)
        return hd_format("step %u: %s waits at %s%s", step, wanted, got, place);
    char *held = held_words(r, d), *text;
    if (loose)
        text = hd_format("thread %s now holds %s, which %s waits for%s at step %u", thread_path(r, d->holder - 1), held,
                         wanted, place, step);
    else
        text = hd_format("step %u: %s waits at %s%s; %s holds %s", step, wanted, got, place,
                         thread_path(r, d->holder - 1), held);
    free(held);
    return text;
}

static char *divergence_words(struct hd_replay *r, const struct hd_divergence *d, const Heddle__Witness *w, bool loose)
{
    const char *wanted = d->slice < w->n_slice ? w->thread[w->slice[d->slice]->thread] : "?";
    char *expected = event_words(d->expected_kind, d->expected_n, d->expected_k);
    char *got = event_words(d->got_kind, hd_kind_is_access(d->got_kind) && d->got_n ? d->got_n - 1 : d->got_n, d->got_k);
    char *place = place_words(r, d->got_pc), *text;
    unsigned step = d->slice + 1;
    switch (d->reason) {
    case HD_DIVERGED_BLOCKED:
        text = blocked_words(r, d, wanted, got, place, loose);
        break;
    case HD_DIVERGED_MISSING_THREAD:
        text = hd_format("step %u: there is no thread %s to run", step, wanted);
        break;
    case HD_DIVERGED_SITE:
        text = hd_format("step %u: %s: %s comes from another place%s", step, wanted, expected, place);
        break;
    case HD_DIVERGED_OBJECT:
        text = hd_format("step %u: %s: %s is on another object%s", step, wanted, expected, place);
        break;
    default:
        text = hd_format("step %u: %s: expected %s; got %s%s", step, wanted, expected, got, place);
    }
    free(expected);
    free(got);
    free(place);
    return text;
}

/* The trace that the witness comes from, where it is still there. */
static struct hd_trace *recorded_trace(const Heddle__Witness *w, const char *beside)
{
    char error[512];
    char *path = beside ? hd_file_beside(beside, w->trace) : NULL;
    struct hd_trace *t = path ? hd_trace_read(path, error, sizeof error) : NULL;
    free(path);
    return t;
}

/* Nobody can go on: that is a fact of the rerun, whatever was looked for. */
static void confirm_stuck(struct hd_replay *r, const Heddle__Witness *w)
{
    struct hd_stuck stuck = hd_stuck_describe(r->trace, &r->more);
    bool lost = stuck.wakeup && !stuck.cycle && strcmp(w->finding->kind, "deadlock") != 0;
    r->confirmation = lost ? "lost wakeup" : "deadlock";
}

static void confirm(struct hd_replay *r, const Heddle__Witness *w, const char *beside)
{
    r->confirmed = NULL;
    if (r->kind == HEDDLE__VERDICT__KIND__DIVERGED && r->trace) {
        struct hd_trace *recorded = recorded_trace(w, beside);
        r->confirmed = recorded ? hd_first_difference(recorded, r->trace) : NULL;
        hd_trace_free(recorded);
    } else if (r->trace && r->slices_done == w->n_slice &&
               hd_confirm_read(w, r->trace, &r->confirmed) == HD_CONFIRM_SEEN)
        r->confirmation = "value";
    if (r->kind == HEDDLE__VERDICT__KIND__FAILING && r->outcome == HEDDLE__OUTCOME__DEADLOCKED)
        confirm_stuck(r, w);
    if (!r->confirmed)
        r->confirmed = hd_strdup("");
}

/* Memory is used after it was freed: that the test passed is luck. */
void hd_replay_look_for_use_after_free(struct hd_replay *r, const Heddle__Witness *w)
{
    bool passed = r->kind == HEDDLE__VERDICT__KIND__HARMLESS;
    bool ended = r->outcome == HEDDLE__OUTCOME__CRASHED || r->outcome == HEDDLE__OUTCOME__DEADLOCKED;
    if (!r->trace || (!passed && !ended) || strcmp(w->finding->kind, "memory") != 0)
        return;
    char *words = hd_use_after_free(r->trace);
    if (!words)
        return;
    char *text = ended ? hd_format("%s; then: %s", words, r->text) : hd_strdup(words);
    free(words);
    free(r->text);
    r->text = text;
    r->kind = HEDDLE__VERDICT__KIND__FAILING;
    r->confirmation = "use after free";
}

static void judge(struct hd_replay *r, const struct hd_session_result *result, const Heddle__Witness *w, bool loose)
{
    r->slices_done = result->slices_done;
    r->outcome = r->trace ? r->trace->outcome : HEDDLE__OUTCOME__OUTCOME_UNKNOWN;
    r->detail = r->trace ? r->trace->detail : 0;
    if (result->ending == HD_ENDING_DIVERGED) {
        r->kind = HEDDLE__VERDICT__KIND__DIVERGED;
        char *words = divergence_words(r, &result->divergence, w, loose);
        r->text = loose ? hd_format("no longer possible: %s", words) : hd_strdup(words);
        free(words);
    } else if (!r->trace) {
        r->kind = HEDDLE__VERDICT__KIND__DIVERGED;
        r->text = hd_format("the program did not run test '%s'", w->header->test);
    } else if (result->ending == HD_ENDING_TIME) {
        r->kind = HEDDLE__VERDICT__KIND__NOT_REACHED;
        r->text = hd_format("time ran out at step %u of %zu", r->slices_done + 1, w->n_slice);
    } else if (r->slices_done < w->n_slice) {
        r->kind = HEDDLE__VERDICT__KIND__DIVERGED;
        char *end = hd_ending_words(r->trace);
        r->text = hd_format("the test ended before step %u of %zu: %s", r->slices_done + 1, w->n_slice, end);
        free(end);
    } else {
        r->text = hd_ending_words(r->trace);
        r->kind = r->outcome == HEDDLE__OUTCOME__PASSED ? HEDDLE__VERDICT__KIND__HARMLESS
                                                        : HEDDLE__VERDICT__KIND__FAILING;
        hd_replay_look_for_use_after_free(r, w);
    }
}

/* Lines that tell the time are nobody's output. */
static bool tells_time(const char *line, size_t length)
{
    return length >= 12 && strncmp(line, "Elapsed time", 12) == 0;
}

static size_t line_length(const struct hd_text *t, size_t at)
{
    const char *end = at < t->size ? memchr(t->bytes + at, '\n', t->size - at) : NULL;
    return end ? (size_t)(end - t->bytes) - at + 1 : t->size - at;
}

/* The first line that differs is the failure. */
static void compare_output(struct hd_replay *r, const struct hd_text *expected)
{
    size_t a = 0, b = 0;
    if (r->kind != HEDDLE__VERDICT__KIND__HARMLESS)
        return;
    for (unsigned line = 1; a < expected->size || b < r->output.size; line++) {
        const char *was = expected->bytes + a, *is = r->output.bytes + b;
        size_t old = line_length(expected, a), new = line_length(&r->output, b);
        if ((old != new || memcmp(was, is, old) != 0) && !(tells_time(was, old) && tells_time(is, new))) {
            free(r->text);
            r->text = hd_format("line %u of its output is \"%.*s\", was \"%.*s\"", line, (int)strcspn(is, "\n"), is,
                                (int)strcspn(was, "\n"), was);
            r->kind = HEDDLE__VERDICT__KIND__FAILING;
            return;
        }
        a += old;
        b += new;
    }
}

static int open_declarations(char **absolute, const Heddle__Witness *w, const struct hd_replay_options *o, char *error,
                             size_t size)
{
    const char *path = o->declare ? o->declare : w->header->declare;
    if (!*path)
        return 0;
    if (!o->declare && !hd_file_ends(path)) {
        snprintf(error, size, "%s: no regular file; give the declarations with --declare", path);
        return -1;
    }
    if (hd_declare_file(path, NULL, NULL, error, size) != 0)
        return -1;
    *absolute = realpath(path, NULL);
    return 0;
}

int hd_replay_once(struct hd_replay *r, const Heddle__Witness *w, const struct hd_program *program,
                  const struct hd_replay_options *o, char *error, size_t size)
{
    struct hd_schedule schedule;
    struct hd_session_result result;
    *r = (struct hd_replay){ .confirmation = "" };
    char *declare = NULL;
    if (open_declarations(&declare, w, o, error, size) != 0)
        return -1;
    hd_schedule_make(&schedule, w, program);
    char **recorded = hd_alloc((w->header->n_argv + 2) * sizeof *recorded);
    for (size_t i = 0; i < w->header->n_argv; i++)
        recorded[i] = w->header->argv[i];
    if (!recorded[0])
        recorded[0] = program->path;
    char *const *argv = o->argv ? o->argv : recorded;
    struct hd_session_options session = {
        .program = program->path,
        .argv = argv,
        .wrapper = o->wrapper,
        .cwd = *w->header->cwd && !o->argv ? w->header->cwd : NULL,
        .declare = declare,
        .mode = HD_MODE_REPLAY,
        .seed = o->seed,
        .output = o->output,
        .time_limit = o->time_limit,
        .memory = o->memory,
        .test = schedule.test,
        .thread = schedule.thread,
        .slice = schedule.slice,
        .check = schedule.check,
        .threads = schedule.threads,
        .slices = schedule.slices,
        .checks = schedule.checks,
    };
    struct hd_drain *drain = hd_drain_new(program, argv, w->header->seed, keep, r);
    hd_drain_declare(drain, declare);
    hd_drain_cwd(drain, session.cwd);
    hd_drain_limit(drain, (uint64_t)HD_DEFAULT_MEMORY << 20);
    int failed = hd_session_run(&session, drain, &result, error, size);
    r->output = result.output;
    r->errors = result.errors;
    if (!failed && hd_interrupted()) {
        snprintf(error, size, "interrupted");
        failed = -1;
    }
    if (!failed) {
        judge(r, &result, w, o->loose);
        if (o->expected_output)
            compare_output(r, o->expected_output);
        confirm(r, w, o->recorded_beside);
        if (r->trace && r->slices_done == w->n_slice)
            r->constraints = hd_constraints_of(w, r->trace);
    }
    hd_drain_free(drain);
    hd_schedule_free(&schedule);
    free(recorded);
    free(declare);
    return failed;
}

int hd_replay_run(struct hd_replay *r, const Heddle__Witness *w, const struct hd_program *program,
                  const struct hd_replay_options *o, char *error, size_t size)
{
    return (hd_is_race(w) && !o->wrapper ? hd_race_replay : hd_replay_once)(r, w, program, o, error, size);
}

int hd_replay_recorded_order(struct hd_replay *r, const Heddle__Witness *w, const struct hd_program *program,
                             const struct hd_replay_options *o, char *error, size_t size)
{
    struct hd_replay_options recorded = *o;
    Heddle__Witness bare = *w;
    bare.n_slice = 0;
    recorded.seed = w->header->seed;
    return hd_replay_once(r, &bare, program, &recorded, error, size);
}

void hd_replay_free(struct hd_replay *r)
{
    hd_trace_free(r->trace);
    free(r->text);
    free(r->confirmed);
    hd_lines_free(&r->more);
    free(r->output.bytes);
    free(r->errors.bytes);
    *r = (struct hd_replay){ 0 };
}
