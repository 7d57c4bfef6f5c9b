/* SPDX-License-Identifier: Apache-2.0 */
#include "report/gather.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/memory.h"
#include "proto/witness_words.h"
#include "report/folder.h"
#include "report/text.h"
#include "symbols/ending.h"

/* A trace that is open, with its names; both may be NULL. */
struct opened {
    struct hd_trace *trace;
    struct hd_symbols *symbols;
};

struct gathering {
    struct hd_report *report;
    struct hd_folder folder;
    size_t test_room, finding_room;
};

const char *hd_rank_word(enum hd_verdict_rank rank)
{
    static const char *const words[HD_RANKS] = {"FAILING", "diverged", "not reached", "not replayed", "harmless"};
    return words[rank];
}

static const char *outcome_word(unsigned outcome)
{
    static const char *const words[] = {"unknown",    "passed",    "assertion failed", "crashed", "exited",
                                        "deadlocked", "timed out", "killed"};
    return outcome < sizeof words / sizeof *words ? words[outcome] : "unknown";
}

static const char *keep(struct gathering *g, const char *s)
{
    return hd_keep_copy(&g->report->strings, s);
}

static int open_trace(struct opened *o, const char *dir, const char *name, char *error, size_t size)
{
    char *path = hd_format("%s/%s", dir, name);
    o->trace = hd_trace_read(path, error, size);
    o->symbols = o->trace ? hd_symbols_new(o->trace) : NULL;
    free(path);
    return o->trace ? 0 : -1;
}

static void close_trace(struct opened *o)
{
    if (o->symbols)
        hd_symbols_free(o->symbols);
    hd_trace_free(o->trace);
    *o = (struct opened){0};
}

/* ------------------------------------------------------------- findings */

static const char *label_of(const char *role)
{
    static const char *const labels[][2] = {{"r", "the read"},
                                            {"w", "the write it saw when recorded"},
                                            {"c", "the write it sees instead"},
                                            {"request", "requests"}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(role, labels[i][0]) == 0)
            return labels[i][1];
    return role;
}

static void add_role(struct gathering *g, struct hd_report_role *to, const Heddle__Witness *w,
                     const Heddle__Role *role, struct opened o)
{
    struct hd_strings *strings = &g->report->strings;
    uint64_t seen;
    to->name = keep(g, role->name);
    to->label = keep(g, label_of(role->name));
    to->thread = keep(g, w->thread[role->thread]);
    to->words = hd_keep(strings, hd_step_words(w, role->at));
    to->place = hd_place_of_anchor(strings, o.trace, o.symbols, w, role->at->anchor);
    to->frames = role->n_stack;
    to->stack = hd_alloc((role->n_stack + 1) * sizeof *to->stack);
    for (size_t i = 0; i < role->n_stack; i++)
        to->stack[i] = hd_place_of_anchor(strings, o.trace, o.symbols, w, role->stack[i]);
    to->helds = role->n_held;
    to->held = hd_alloc((role->n_held + 1) * sizeof *to->held);
    for (size_t i = 0; i < role->n_held; i++)
        to->held[i] = keep(g, role->held[i] ? w->object[role->held[i] - 1] : "?");
    if (!role->has_value)
        return;
    to->value = hd_value_words(strings, role->value, role->at->size);
    if (strcmp(role->name, "r") == 0 && o.trace && hd_value_seen(o.trace, w, &seen) && seen != role->value)
        to->other = hd_value_words(strings, seen, role->at->size);
}

static void clear_finding(struct hd_report_finding *f)
{
    for (size_t i = 0; i < f->roles; i++) {
        free(f->role[i].stack);
        free(f->role[i].held);
    }
    free(f->role);
    free(f->thread);
    free(f->chain);
    free(f->recorded.row);
    free(f->failing.row);
    f->role = NULL;
    f->chain = NULL;
    f->roles = f->threads = f->links = 0;
    f->thread = NULL;
    f->recorded = f->failing = (struct hd_timeline){0};
}

static const char *keep_some(struct gathering *g, const char *s)
{
    return *s ? keep(g, s) : NULL;
}

/* The last verdict that has one: a later replay by hand says no more than that it failed again. */
static void add_chain(struct gathering *g, struct hd_report_finding *f, const Heddle__VerdictFile *verdicts)
{
    const Heddle__Verdict *v = NULL;
    for (size_t i = 0; verdicts && i < verdicts->n_verdict; i++)
        v = verdicts->verdict[i]->n_chain ? verdicts->verdict[i] : v;
    f->links = v ? v->n_chain : 0;
    f->chain = hd_alloc((f->links + 1) * sizeof *f->chain);
    for (size_t i = 0; i < f->links; i++) {
        const Heddle__Link *l = v->chain[i];
        f->chain[i] = (struct hd_report_link){keep(g, l->thread), keep(g, l->words), keep_some(g, l->value),
                                              keep_some(g, l->recorded), ""};
        if (l->line)
            f->chain[i].place = hd_keep(&g->report->strings, hd_format("%s:%u", l->file, l->line));
    }
}

/* What is shown of a finding: everything but its occurrences. */
static void describe(struct gathering *g, struct hd_report_finding *f, const struct hd_folder_witness *one,
                     struct opened recorded, struct opened rerun)
{
    const Heddle__Witness *w = one->w;
    clear_finding(f);
    f->kind = keep(g, w->finding->kind);
    f->id = keep(g, w->finding->id);
    f->title = keep(g, w->finding->title);
    f->sentence = keep(g, w->finding->sentence);
    f->variable = keep(g, w->finding->variable);
    f->pattern = keep(g, w->finding->pattern);
    f->threads = w->n_thread;
    f->thread = hd_alloc((w->n_thread + 1) * sizeof *f->thread);
    for (size_t i = 0; i < w->n_thread; i++)
        f->thread[i] = keep(g, w->thread[i]);
    f->roles = w->finding->n_role;
    f->role = hd_alloc((f->roles + 1) * sizeof *f->role);
    for (size_t i = 0; i < f->roles; i++)
        add_role(g, &f->role[i], w, w->finding->role[i], recorded);
    f->rerun = rerun.trace != NULL;
    struct hd_seen_run run = {recorded.trace, recorded.symbols}, again = {rerun.trace, rerun.symbols};
    add_chain(g, f, one->verdicts);
    if (recorded.trace && recorded.trace->outcome != HEDDLE__OUTCOME__PASSED)
        hd_timeline_of_trace(&f->failing, rerun.trace ? again : run, &g->report->strings);
    else if (recorded.trace)
        hd_timelines_make(&f->recorded, &f->failing, w, run, again, &g->report->strings);
}

static enum hd_verdict_rank rank_of(const Heddle__Verdict *v)
{
    switch (v ? v->kind : HEDDLE__VERDICT__KIND__UNKNOWN) {
    case HEDDLE__VERDICT__KIND__FAILING: return HD_RANK_FAILING;
    case HEDDLE__VERDICT__KIND__HARMLESS: return HD_RANK_HARMLESS;
    case HEDDLE__VERDICT__KIND__DIVERGED: return HD_RANK_DIVERGED;
    case HEDDLE__VERDICT__KIND__NOT_REACHED: return HD_RANK_NOT_REACHED;
    default: return HD_RANK_NOT_RUN;
    }
}

static struct hd_occurrence occurrence_of(struct gathering *g, size_t test, const struct hd_folder_witness *one)
{
    size_t last = one->verdicts ? one->verdicts->n_verdict : 0;
    const Heddle__Verdict *v = last ? one->verdicts->verdict[last - 1] : NULL;
    struct hd_occurrence o = {.test = test, .witness = keep(g, one->name), .number = one->w->number};
    o.context_switches = one->w->context_switches;
    o.rank = rank_of(v);
    o.text = keep(g, v ? v->text : "");
    o.confirmed = keep(g, v ? v->confirmed : "");
    return o;
}

static bool better(const struct hd_occurrence *a, const struct hd_occurrence *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->context_switches < b->context_switches;
}

static struct hd_report_finding *finding_with(struct gathering *g, const char *id)
{
    struct hd_report *r = g->report;
    for (size_t i = 0; i < r->findings; i++)
        if (strcmp(r->finding[i].id, id) == 0)
            return &r->finding[i];
    HD_GROW(r->finding, r->findings, g->finding_room);
    r->finding[r->findings] = (struct hd_report_finding){.id = keep(g, id)};
    return &r->finding[r->findings++];
}

/* True where this occurrence is the one to show. */
static bool add_occurrence(struct hd_report_finding *f, struct hd_occurrence o)
{
    bool shown = !f->occurrences || better(&o, &f->occurrence[0]);
    size_t at = shown ? 0 : f->occurrences;
    f->occurrence = hd_realloc(f->occurrence, f->occurrences + 1, sizeof *f->occurrence);
    memmove(f->occurrence + at + 1, f->occurrence + at, (f->occurrences - at) * sizeof *f->occurrence);
    f->occurrence[at] = o;
    f->occurrences++;
    return shown;
}

/* The rerun's own trace, where it was kept and is not of an older witness of that name. */
static int open_rerun(struct gathering *g, struct opened *o, const struct hd_folder_witness *one, char *error,
                      size_t size)
{
    char *name = hd_with_ending(one->name, "trace");
    int failed = 0;
    if (hd_folder_has_trace(&g->folder, name) && strcmp(name, one->w->trace) != 0)
        failed = open_trace(o, g->folder.dir, name, error, size);
    free(name);
    if (o->trace && (strcmp(o->trace->test, one->w->header->test) != 0 ||
                     strcmp(o->trace->build_id, one->w->header->build_id) != 0 || !hd_follows(o->trace, one->w)))
        close_trace(o);
    return failed;
}

static enum hd_column column_of(enum hd_verdict_rank rank)
{
    return rank == HD_RANK_FAILING    ? HD_COLUMN_FAILING
           : rank == HD_RANK_HARMLESS ? HD_COLUMN_HARMLESS
           : rank == HD_RANK_DIVERGED ? HD_COLUMN_DIVERGED
                                      : HD_COLUMN_OPEN;
}

static int add_witness(struct gathering *g, size_t test, const struct hd_folder_witness *one, struct opened recorded,
                       char *error, size_t size)
{
    struct hd_occurrence o = occurrence_of(g, test, one);
    struct hd_report_finding *f = finding_with(g, one->w->finding->id);
    struct opened rerun = {0};
    if (!g->report->test[test].tally.complete)
        hd_tally_count(&g->report->test[test].tally, column_of(o.rank));
    if (!add_occurrence(f, o))
        return 0;
    int failed = open_rerun(g, &rerun, one, error, size);
    if (!failed)
        describe(g, f, one, recorded, rerun);
    close_trace(&rerun);
    return failed;
}

/* ------------------------------------------------------------- tests */

/* Lines may move without another finding: "bank.c:31" is "bank.c". */
static char *without_lines(const char *s)
{
    char *copy = hd_strdup(s), *to = copy;
    for (const char *from = copy; *from;) {
        if (*from == ':' && isdigit((unsigned char)from[1]))
            for (from++; isdigit((unsigned char)*from);)
                from++;
        else
            *to++ = *from++;
    }
    *to = 0;
    return copy;
}

static void add_recorded_failure(struct gathering *g, size_t test, struct opened recorded, bool witnessed)
{
    struct hd_report_test *t = &g->report->test[test];
    struct hd_strings *strings = &g->report->strings;
    const char *text = hd_keep(strings, hd_ending_words(recorded.trace));
    t->recorded_failure = text;
    if (witnessed)
        return;
    if (!t->tally.complete)
        hd_tally_count(&t->tally, HD_COLUMN_FAILING);
    char *place = without_lines(text), *id = hd_format("recorded:%s:%s:%s", t->suite, t->name, place);
    struct hd_report_finding *f = finding_with(g, id);
    struct hd_occurrence o = {.test = test, .rank = HD_RANK_FAILING, .text = text, .confirmed = ""};
    if (add_occurrence(f, o)) {
        clear_finding(f);
        f->kind = "recorded";
        f->pattern = "fails as recorded";
        f->title = hd_keep(strings, hd_format("%s: %s", f->pattern, text));
        f->sentence = text;
        f->variable = "";
        f->threads = recorded.trace->threads;
        f->thread = hd_alloc((f->threads + 1) * sizeof *f->thread);
        for (size_t i = 0; i < f->threads; i++)
            f->thread[i] = keep(g, recorded.trace->thread[i].path);
        hd_timeline_of_trace(&f->failing, (struct hd_seen_run){recorded.trace, recorded.symbols}, strings);
        f->rerun = true;
    }
    free(place);
    free(id);
}

/* The failure is a witness's, too: that is the one to show. */
static bool is_witnessed(const struct gathering *g, const char *trace)
{
    for (size_t i = 0; i < g->folder.witnesses; i++) {
        const struct hd_folder_witness *one = &g->folder.witness[i];
        size_t last = one->verdicts ? one->verdicts->n_verdict : 0;
        if (strcmp(one->w->trace, trace) == 0 && last &&
            one->verdicts->verdict[last - 1]->kind == HEDDLE__VERDICT__KIND__FAILING)
            return true;
    }
    return false;
}

static struct hd_tally tally_of(const struct gathering *g, const char *trace)
{
    for (size_t i = 0; i < g->folder.accounts; i++)
        if (strcmp(g->folder.account[i]->trace, trace) == 0)
            return hd_tally_of(g->folder.account[i]);
    return (struct hd_tally){0};
}

static size_t add_test(struct gathering *g, struct hd_report_test test)
{
    struct hd_report *r = g->report;
    test.tally = tally_of(g, test.trace);
    HD_GROW(r->test, r->tests, g->test_room);
    r->test[r->tests] = test;
    return r->tests++;
}

static int add_witnesses_of(struct gathering *g, size_t test, const char *trace, struct opened o, char *error,
                            size_t size)
{
    int failed = 0;
    for (size_t i = 0; i < g->folder.witnesses && !failed; i++)
        if (strcmp(g->folder.witness[i].w->trace, trace) == 0)
            failed = add_witness(g, test, &g->folder.witness[i], o, error, size);
    return failed;
}

/* A trace that is a rerun's is no test of its own. */
static bool is_rerun(const struct gathering *g, const char *name, const struct hd_trace *t)
{
    char *witness = hd_with_ending(name, "witness");
    bool found = false;
    for (size_t i = 0; i < g->folder.witnesses; i++) {
        const struct hd_folder_witness *one = &g->folder.witness[i];
        found |= strcmp(one->name, witness) == 0 && strcmp(one->w->trace, name) != 0 &&
                 strcmp(one->w->header->test, t->test) == 0;
    }
    free(witness);
    return found;
}

static int add_trace(struct gathering *g, const char *name, char *error, size_t size)
{
    struct opened o = {0};
    if (open_trace(&o, g->folder.dir, name, error, size) != 0)
        return -1;
    int failed = 0;
    if (!is_rerun(g, name, o.trace)) {
        struct hd_report_test test = {keep(g, o.trace->suite), keep(g, o.trace->test), keep(g, name),
                                      keep(g, o.trace->program), outcome_word(o.trace->outcome), NULL,
                                      o.trace->events, o.trace->threads, {0}};
        size_t index = add_test(g, test);
        if (o.trace->outcome != HEDDLE__OUTCOME__PASSED && o.trace->outcome != HEDDLE__OUTCOME__OUTCOME_UNKNOWN)
            add_recorded_failure(g, index, o, is_witnessed(g, name));
        failed = add_witnesses_of(g, index, name, o, error, size);
    }
    close_trace(&o);
    return failed;
}

/* Witnesses whose trace is gone: their tests have no events. */
static int add_orphans(struct gathering *g, char *error, size_t size)
{
    const char *done = NULL;
    int failed = 0;
    for (size_t i = 0; i < g->folder.witnesses && !failed; i++) {
        const Heddle__Witness *w = g->folder.witness[i].w;
        if (hd_folder_has_trace(&g->folder, w->trace) || (done && strcmp(done, w->trace) == 0))
            continue;
        struct hd_report_test test = {.suite = keep(g, w->header->suite), .name = keep(g, w->header->test),
                                      .trace = keep(g, w->trace), .program = keep(g, w->header->program),
                                      .outcome = "trace is missing", .threads = w->n_thread};
        done = w->trace;
        failed = add_witnesses_of(g, add_test(g, test), done, (struct opened){0}, error, size);
    }
    return failed;
}

/* ------------------------------------------------------------- the whole */

static int by_rank(const void *a, const void *b)
{
    const struct hd_report_finding *f = a, *g = b;
    const struct hd_occurrence *x = &f->occurrence[0], *y = &g->occurrence[0];
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->test != y->test)
        return x->test < y->test ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(f->id, g->id);
}

static const char *time_of_report(struct hd_strings *strings)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char text[32], *end;
    struct tm tm;
    if (!epoch || !isdigit((unsigned char)*epoch))
        return NULL;
    time_t seconds = (time_t)strtoll(epoch, &end, 10);
    if (*end || !gmtime_r(&seconds, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
        return NULL;
    return hd_keep_copy(strings, text);
}

static void add_up(struct hd_report *r, const struct hd_baseline *baseline)
{
    r->tally.complete = true;
    r->has_baseline = baseline != NULL;
    for (size_t i = 0; i < r->tests; i++)
        hd_tally_add(&r->tally, &r->test[i].tally);
    for (size_t i = 0; i < r->findings; i++) {
        struct hd_report_finding *f = &r->finding[i];
        bool fails = f->occurrence[0].rank == HD_RANK_FAILING;
        f->known = fails && hd_baseline_has(baseline, f->id);
        r->failing += fails;
        r->known += f->known;
    }
}

struct hd_report *hd_report_gather(const char *dir, const struct hd_report_options *options, char *error, size_t size)
{
    struct gathering g = {.report = hd_alloc(sizeof *g.report)};
    int failed = hd_folder_read(&g.folder, dir, options->program, error, size);
    g.report->dir = keep(&g, dir);
    g.report->time = time_of_report(&g.report->strings);
    for (size_t i = 0; i < g.folder.traces && !failed; i++)
        failed = add_trace(&g, g.folder.trace[i], error, size);
    if (!failed)
        failed = add_orphans(&g, error, size);
    hd_folder_free(&g.folder);
    if (failed) {
        hd_report_free(g.report);
        return NULL;
    }
    if (g.report->findings)
        qsort(g.report->finding, g.report->findings, sizeof *g.report->finding, by_rank);
    add_up(g.report, options->baseline);
    return g.report;
}

void hd_report_free(struct hd_report *r)
{
    for (size_t i = 0; i < r->findings; i++) {
        clear_finding(&r->finding[i]);
        free(r->finding[i].occurrence);
    }
    free(r->finding);
    free(r->test);
    hd_strings_free(&r->strings);
    free(r);
}

const struct hd_source_place *hd_finding_place(const struct hd_report_finding *f)
{
    for (size_t i = 0; i < f->roles; i++)
        if (f->role[i].place.line)
            return &f->role[i].place;
    for (size_t i = f->failing.rows; !f->roles && i-- > 0;)
        if (f->failing.row[i].place.line)
            return &f->failing.row[i].place;
    return NULL;
}

char *hd_replay_line(const struct hd_report *r, const struct hd_occurrence *o, const char *option)
{
    char *path = hd_format("%s/%s", r->dir, o->witness), *word = hd_shell_word(path);
    char *line = hd_format("heddle replay %s%s%s", option, *option ? " " : "", word);
    free(path);
    free(word);
    return line;
}

const char *hd_report_program(const struct hd_report *r)
{
    const char *program = r->tests ? r->test[0].program : "", *slash = strrchr(program, '/');
    return slash ? slash + 1 : *program ? program : r->dir;
}
