/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/campaign.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "cli/cli.h"
#include "cli/rerun.h"
#include "cli/seen.h"
#include "proto/account_file.h"
#include "proto/frame.h"
#include "proto/memory.h"
#include "replay/pool.h"
#include "symbols/ending.h"

#define QUEUE_MAX 4096     /* traces looked at for one test */
#define WITNESSES_MAX 1000 /* beyond, one a place in the source instead of one an alternative */
#define KEEP_MAX 64        /* alternatives at once */
#define FEW_RUNS 100       /* runs to look at, until which depth is no limit */

/* A run to look at: what it did otherwise than the recording, by alternative and by event. */
struct change { uint64_t key; char *thread; uint32_t n, k; bool sync; };
struct item {
    char *path; /* removed afterwards */
    struct change change[KEEP_MAX];
    unsigned changes, depth;
    uint32_t base; /* the witness whose rerun it is; 0: a recording */
};

enum column { UNSEEN, OPEN, TRIED };

struct hd_campaign {
    struct hd_campaign_options o;
    char *path, *test;
    Heddle__Account account;
    uint32_t number; /* of the last witness */
    struct item **queue;
    size_t queued, queue_room, taken;
    struct hd_seen alternatives; /* sets of alternatives, and their column */
    struct hd_seen runs;         /* signatures */
    struct hd_kept kept;
    bool news, failed, first_done;

    const struct hd_analysis *analysis; /* under way */
    const struct item *at;              /* whose analysis it is */
    bool leaf;                          /* its reruns are not looked at in turn */
    size_t *job, jobs, told;            /* witnesses that are new */
    uint32_t first;                     /* number of the first of them */
};

static volatile sig_atomic_t stop_analysis;

static void on_alarm(int signal)
{
    (void)signal;
    stop_analysis = 1;
}

/* Seconds left, at least 1; 0: no limit. */
static unsigned time_left(const struct hd_campaign *c)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return !c->o.until ? 0 : now.tv_sec < c->o.until ? (unsigned)(c->o.until - now.tv_sec) : 1;
}

static bool time_is_up(const struct hd_campaign *c)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return c->o.until && now.tv_sec >= c->o.until;
}

/* ------------------------------------------------------------ what is new */

static uint64_t set_with(const struct hd_campaign *c, size_t witness, uint64_t key)
{
    uint64_t sum = hd_seen_mix(key);
    for (unsigned i = 0; i < c->at->changes; i++)
        if (c->analysis->kept[witness] >> i & 1)
            sum += hd_seen_mix(c->at->change[i].key);
    return sum;
}

static uint64_t set_key(const struct hd_campaign *c, size_t witness)
{
    return set_with(c, witness, c->analysis->key[witness]);
}

/* What a run does by itself is no alternative to be tried from the runs that come of it. */
static void note_own(struct hd_campaign *c)
{
    for (size_t i = 0; i < c->analysis->witnesses; i++) {
        uint64_t own = set_with(c, i, c->analysis->own_key[i]);
        if (c->analysis->own_key[i] != c->analysis->key[i] && hd_seen_get(&c->alternatives, own) == UNSEEN)
            hd_seen_set(&c->alternatives, own, TRIED);
    }
}

static void count_open(struct hd_campaign *c, uint64_t key)
{
    if (hd_seen_get(&c->alternatives, key) != UNSEEN)
        return;
    hd_seen_set(&c->alternatives, key, OPEN);
    c->account.alternatives++;
    c->account.open++;
}

static void count_tried(struct hd_campaign *c, uint64_t key)
{
    if (hd_seen_get(&c->alternatives, key) == OPEN)
        c->account.open--;
    else
        c->account.alternatives++;
    hd_seen_set(&c->alternatives, key, TRIED);
}

static void free_item(struct item *item)
{
    unlink(item->path);
    free(item->path);
    for (unsigned i = 0; i < item->changes; i++)
        free(item->change[i].thread);
    free(item);
}

static bool is_leaf(const struct hd_campaign *c, const struct item *item)
{
    bool further = c->o.further && c->queued < FEW_RUNS && item->depth < KEEP_MAX - 1;
    return item->depth >= c->o.depth && !further;
}

/* What the witness keeps of the run it was found in, and its own read. */
static struct item *item_of(const struct hd_campaign *c, size_t witness, char *path, bool diverged)
{
    struct item *item = hd_alloc(sizeof *item);
    const Heddle__Finding *f = c->analysis->witness[witness]->finding;
    item->path = path;
    item->depth = c->at->depth + 1;
    item->base = c->analysis->witness[witness]->number;
    for (unsigned i = 0; i < c->at->changes && i + 1 < KEEP_MAX; i++)
        if (c->analysis->kept[witness] >> i & 1) {
            item->change[item->changes] = c->at->change[i];
            item->change[item->changes++].thread = hd_strdup(c->at->change[i].thread);
        }
    for (size_t i = 0; i < f->n_role && !diverged; i++) {
        const Heddle__Role *r = f->role[i];
        if (strcmp(r->name, "r") == 0)
            item->change[item->changes++] =
                (struct change){ c->analysis->key[witness], hd_strdup(c->analysis->witness[witness]->thread[r->thread]),
                                 r->at->n, r->at->k, hd_kind_is_sync(r->at->kind) };
    }
    return item;
}

/* ------------------------------------------------------------ reruns */

static char *file_of(const struct hd_campaign *c, size_t job, const char *kind)
{
    int stem = (int)(strlen(c->path) - strlen(".trace"));
    return hd_format("%.*s-%zu.%s", stem, c->path, c->first + job, kind);
}

/* A rerun that went another way is where the next alternatives come from. */
static bool leads_on(Heddle__Verdict__Kind kind)
{
    return kind == HEDDLE__VERDICT__KIND__HARMLESS || kind == HEDDLE__VERDICT__KIND__DIVERGED;
}

static void rerun(size_t job, FILE *out, void *data)
{
    const struct hd_campaign *c = data;
    struct hd_rerun r = { .witness = c->analysis->witness[c->job[job]],
                          .program = c->o.program,
                          .time_limit = c->o.time_limit,
                          .recorded = c->path,
                          .witness_path = file_of(c, job, "witness"),
                          .trace_path = file_of(c, job, "trace"),
                          .shorten = !hd_kept_short(&c->kept, c->analysis->witness[c->job[job]]->finding->id),
                          .next_path = c->leaf ? NULL : file_of(c, job, "rerun") };
    hd_rerun_do(&r, out);
    free(r.witness_path);
    free(r.trace_path);
    free(r.next_path);
}

static void count_verdict(struct hd_campaign *c, const Heddle__Verdict *v)
{
    switch (v->kind) {
    case HEDDLE__VERDICT__KIND__FAILING: c->account.failing++; break;
    case HEDDLE__VERDICT__KIND__HARMLESS: c->account.harmless++; break;
    case HEDDLE__VERDICT__KIND__NOT_REACHED: c->account.open++; break;
    default: c->account.diverged++; break;
    }
}

static void follow(struct hd_campaign *c, size_t job, const Heddle__Verdict *v, uint64_t signature)
{
    char *path = file_of(c, job, "rerun");
    bool leads = leads_on(v->kind) && signature && !hd_seen_get(&c->runs, signature);
    c->account.deeper |= leads && c->leaf;
    if (leads && !c->leaf && c->queued < QUEUE_MAX) {
        hd_seen_set(&c->runs, signature, 1);
        HD_GROW(c->queue, c->queued, c->queue_room);
        c->queue[c->queued++] = item_of(c, c->job[job], path, v->kind == HEDDLE__VERDICT__KIND__DIVERGED);
        return;
    }
    c->account.cut |= leads && !c->leaf;
    unlink(path);
    free(path);
}

static void keep_or_drop(struct hd_campaign *c, size_t job, const Heddle__Verdict *v)
{
    char *path = file_of(c, job, "witness"), *drop = NULL;
    if (!hd_kept_better(&c->kept, c->analysis->witness[c->job[job]]->finding->id, v, path, &drop))
        hd_rerun_remove(path);
    if (drop)
        hd_rerun_remove(drop);
    free(drop);
    free(path);
}

static bool rerun_done(size_t job, const uint8_t *bytes, size_t size, void *data)
{
    struct hd_campaign *c = data;
    uint64_t signature;
    Heddle__Verdict *v = hd_rerun_result(bytes, size, &signature);
    c->failed |= !v;
    if (!v)
        return false;
    c->told++;
    count_tried(c, set_key(c, c->job[job]));
    count_verdict(c, v);
    follow(c, job, v, signature);
    keep_or_drop(c, job, v);
    if (c->o.told)
        c->o.told(c->analysis->witness[c->job[job]], v, c->o.data);
    if (c->o.progress)
        c->o.progress(c->test, c->account.alternatives, c->jobs - c->told, c->o.data);
    heddle__verdict__free_unpacked(v, NULL);
    return !time_is_up(c);
}

/* ------------------------------------------------------------ one trace */

static void choose_new(struct hd_campaign *c)
{
    const struct hd_analysis *a = c->analysis;
    const char *slash = strrchr(c->path, '/');
    struct hd_seen mine = { 0 };
    c->job = hd_alloc((a->witnesses + 1) * sizeof *c->job);
    c->jobs = c->told = 0;
    c->first = c->number + 1;
    for (size_t i = 0; i < a->witnesses; i++) {
        uint64_t key = set_key(c, i);
        if (hd_seen_get(&c->alternatives, key) == TRIED || hd_seen_get(&mine, key))
            continue;
        hd_seen_set(&mine, key, 1);
        c->job[c->jobs++] = i;
        a->witness[i]->number = ++c->number;
        a->witness[i]->rerun_of = c->at->base;
        free(a->witness[i]->trace);
        a->witness[i]->trace = hd_strdup(slash ? slash + 1 : c->path);
    }
    hd_seen_free(&mine);
}

static struct hd_analysis *analyze(struct hd_campaign *c, const struct hd_trace *trace, struct hd_symbols *symbols,
                                   const uint64_t *keep, bool all)
{
    struct hd_analyze_options options = { .kinds = HD_KINDS_ALL & ~HD_KINDS_RACE & ~HD_KINDS_MISUSE,
                                          .jobs = c->o.jobs,
                                          .stop = &stop_analysis,
                                          .all = all,
                                          .keep = keep,
                                          .keeps = c->at->changes };
    struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART }, before;
    stop_analysis = 0;
    sigaction(SIGALRM, &action, &before);
    alarm(time_left(c));
    struct hd_analysis *a = hd_analyze(trace, symbols, &options);
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    c->account.cut |= a->interrupted;
    if (a->contradiction)
        fprintf(stderr, "heddle check: %s contradicts itself: %s; its alternatives are left open\n", c->path, a->contradiction);
    if (c->o.suppressions)
        hd_analysis_suppress(a, c->o.suppressions);
    return a;
}

/* Positions in the trace of what the run did otherwise. False: it has lost one of them. */
static bool find_changes(const struct item *item, const struct hd_trace *t, uint64_t *keep)
{
    for (unsigned i = 0; i < item->changes; i++) {
        const struct change *change = &item->change[i];
        size_t at = 0;
        for (; at < t->events; at++) {
            const struct hd_event *e = &t->event[at];
            bool same = e->n == change->n && hd_kind_is_sync(e->kind) == change->sync &&
                        (change->sync || (hd_kind_is_access(e->kind) && e->k == change->k));
            if (same && strcmp(t->thread[e->thread].path, change->thread) == 0)
                break;
        }
        if (at == t->events || (i && at <= keep[i - 1]))
            return false;
        keep[i] = at;
    }
    return true;
}

/* Those of the recording itself are all counted; of a rerun, those that are new. */
static void count_undecided(struct hd_campaign *c)
{
    const struct hd_analysis *a = c->analysis;
    if (!c->first_done) {
        uint64_t found = a->witnesses + a->suppressed, unlisted = a->open - a->open_keys;
        if (a->feasible > found && (a->contradiction || a->feasible > WITNESSES_MAX))
            unlisted += a->feasible - found;
        c->account.impossible += a->impossible;
        c->account.open += unlisted;
        c->account.suppressed += a->suppressed;
        c->account.alternatives += a->impossible + unlisted + a->suppressed;
    }
    c->first_done = true;
    for (size_t i = 0; i < a->open_keys; i++)
        count_open(c, hd_seen_mix(a->open_key[i]));
}

static int explore(struct hd_campaign *c, const struct hd_trace *trace, struct item *item, char *error, size_t size)
{
    uint64_t keep[KEEP_MAX];
    struct hd_symbols *symbols = hd_symbols_new(trace);
    if (!find_changes(item, trace, keep)) {
        for (unsigned i = 0; i < item->changes; i++)
            free(item->change[i].thread);
        item->changes = 0;
    }
    c->at = item;
    c->leaf = is_leaf(c, item);
    struct hd_analysis *a = analyze(c, trace, symbols, keep, false);
    if (!item->depth && a->feasible > a->witnesses + a->suppressed && a->feasible <= WITNESSES_MAX && !a->interrupted && !a->contradiction) {
        hd_analysis_free(a);
        a = analyze(c, trace, symbols, keep, true);
    }
    c->analysis = a;
    count_undecided(c);
    note_own(c);
    choose_new(c);
    int failed = hd_pool_run(c->jobs, c->o.jobs, rerun, rerun_done, c, error, size);
    for (size_t i = c->told; i < c->jobs && !failed && !c->failed; i++) {
        count_open(c, set_key(c, c->job[i]));
        c->account.cut = true;
    }
    free(c->job);
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    return failed || c->failed ? -1 : 0;
}

static int explore_queue(struct hd_campaign *c, char *error, size_t size)
{
    int failed = 0;
    while (!failed && c->taken < c->queued) {
        if (time_is_up(c)) {
            c->account.cut = true;
            break;
        }
        struct item *item = c->queue[c->taken++];
        struct hd_trace *trace = hd_trace_read(item->path, error, size);
        if (item->depth > c->account.depth)
            c->account.depth = item->depth;
        failed = trace ? explore(c, trace, item, error, size) : -1;
        hd_trace_free(trace);
        c->at = NULL;
    }
    return failed;
}

static int look_at(struct hd_campaign *c, const struct hd_trace *trace, char *error, size_t size)
{
    struct item *recording = hd_alloc(sizeof *recording);
    uint64_t signature = hd_run_signature(trace);
    error[0] = 0;
    c->news = !hd_seen_get(&c->runs, signature);
    hd_seen_set(&c->runs, signature, 1);
    int failed = c->news ? explore(c, trace, recording, error, size) : 0;
    c->at = NULL;
    free(recording);
    return failed ? failed : explore_queue(c, error, size);
}

/* ------------------------------------------------------------ the whole */

/* A run that failed by itself: its schedule is enforced like any other, to see that it fails again. */
static int try_failed_run(struct hd_campaign *c, const struct hd_trace *trace, const char *title, char *error,
                          size_t size)
{
    struct hd_symbols *symbols = hd_symbols_new(trace);
    struct item none = { 0 };
    uint64_t key = hd_run_signature(trace), kept = 0;
    Heddle__Witness *w = hd_witness_of_run(trace, symbols, "schedule", title);
    struct hd_analysis one = { .witnesses = w->n_slice ? 1 : 0, .witness = &w, .key = &key, .kept = &kept };
    c->analysis = &one; /* cppcheck-suppress autoVariables; reset below */
    c->at = &none;
    c->leaf = is_leaf(c, &none);
    choose_new(c);
    int failed = hd_pool_run(c->jobs, 1, rerun, rerun_done, c, error, size);
    free(c->job);
    c->at = NULL;
    c->analysis = NULL;
    heddle__witness__free_unpacked(w, NULL);
    hd_symbols_free(symbols);
    return failed || c->failed ? -1 : 0;
}

int hd_campaign_run(struct hd_campaign *c, const struct hd_trace *trace, char *error, size_t size)
{
    if (trace->outcome == HEDDLE__OUTCOME__PASSED)
        return look_at(c, trace, error, size);
    error[0] = 0;
    int failed = try_failed_run(c, trace, "fails as recorded", error, size);
    if (!failed && !c->account.failing) {
        c->account.alternatives++; /* it failed, though its schedule alone does not make it fail again */
        c->account.failing++;
    }
    return failed;
}

int hd_campaign_feed(struct hd_campaign *c, const struct hd_trace *trace, char *error, size_t size)
{
    c->account.recordings++;
    if (trace->outcome == HEDDLE__OUTCOME__PASSED)
        return look_at(c, trace, error, size);
    char *end = hd_ending_words(trace);
    c->news = !hd_kept_fails_so(&c->kept, end);
    free(end);
    error[0] = 0;
    return c->news ? try_failed_run(c, trace, "fails under another schedule", error, size) : 0;
}

static Heddle__Header *header_of(const struct hd_trace *t)
{
    Heddle__Header *h = hd_alloc(sizeof *h);
    heddle__header__init(h);
    h->version = HD_FORMAT_VERSION;
    h->program = hd_strdup(t->program);
    h->build_id = hd_strdup(t->build_id);
    h->suite = hd_strdup(t->suite);
    h->test = hd_strdup(t->test);
    return h;
}

struct hd_campaign *hd_campaign_new(const struct hd_campaign_options *o, const struct hd_trace *trace, const char *path)
{
    struct hd_campaign *c = hd_alloc(sizeof *c);
    const char *slash = strrchr(path, '/');
    c->o = *o;
    c->o.depth = o->depth < KEEP_MAX - 1 ? o->depth : KEEP_MAX - 1;
    c->path = hd_strdup(path);
    c->test = hd_strdup(trace->test);
    hd_reruns_begin(c->path, &c->number);
    heddle__account__init(&c->account);
    c->account.header = header_of(trace);
    c->account.trace = hd_strdup(slash ? slash + 1 : path);
    return c;
}

void hd_campaign_free(struct hd_campaign *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->queued; i++)
        free_item(c->queue[i]);
    free(c->queue);
    hd_reruns_end(c->path);
    hd_seen_free(&c->alternatives);
    hd_seen_free(&c->runs);
    hd_kept_free(&c->kept);
    heddle__header__free_unpacked(c->account.header, NULL);
    free(c->account.trace);
    free(c->path);
    free(c->test);
    free(c);
}

int hd_campaign_save(struct hd_campaign *c, char *error, size_t size)
{
    char *path = hd_format("%.*s.account", (int)(strlen(c->path) - strlen(".trace")), c->path);
    int failed = hd_account_write(path, &c->account, error, size);
    free(path);
    return failed;
}

const Heddle__Account *hd_campaign_account(const struct hd_campaign *c)
{
    return &c->account;
}

bool hd_campaign_found_news(const struct hd_campaign *c)
{
    return c->news;
}
