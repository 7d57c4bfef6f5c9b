// SPDX-License-Identifier: Apache-2.0
// Times the engine on traces in RAPID's text format, plain or gzipped, beside the
// project's own: index, candidates, verdicts, stages, memory. `wake(S)` after a
// `rel(L)` is a wait that `sig(S)` ended.
//
//   engine_bench [-k KINDS] [-j N] [-a] [-d] [-s] [-v] [-c] FILE...
//                                                         -a: deduplication off
//                                                         -d: once a witness a finding
//                                                         -v: verdicts only, no witnesses
//                                                         -c: check the order of every witness
//                                                         -s: count what each stage decided
//                                                         -t: the last line is numbers, by tabs
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analyze/analyze.h"
#include "proto/memory.h"

struct names { char **name; uint32_t *id; size_t count, size; };

static size_t place(const struct names *n, const char *s)
{
    uint64_t h = 14695981039346656037u;
    for (const char *p = s; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211u;
    size_t at = (h ^ h >> 29) & (n->size - 1);
    while (n->name[at] && strcmp(n->name[at], s) != 0)
        at = (at + 1) & (n->size - 1);
    return at;
}

static uint32_t intern(struct names *n, const char *s, bool *fresh)
{
    if (2 * n->count >= n->size) {
        struct names old = *n;
        n->size = old.size ? old.size * 2 : 1024;
        n->name = hd_alloc(n->size * sizeof *n->name);
        n->id = hd_alloc(n->size * sizeof *n->id);
        for (size_t i = 0; i < old.size; i++)
            if (old.name[i]) {
                size_t at = place(n, old.name[i]);
                n->name[at] = old.name[i];
                n->id[at] = old.id[i];
            }
        free(old.name);
        free(old.id);
    }
    size_t at = place(n, s);
    *fresh = !n->name[at];
    if (*fresh) {
        n->name[at] = hd_strdup(s);
        n->id[at] = (uint32_t)n->count++;
    }
    return n->id[at];
}

struct reader {
    struct hd_trace *t;
    struct names threads, objects, variables, sites;
    size_t *last_release; /* per thread: 1 + event */
};

static uint32_t thread_of(struct reader *r, const char *name)
{
    bool fresh;
    uint32_t id = intern(&r->threads, name, &fresh);
    if (fresh) {
        hd_trace_add_thread(r->t, name, 0, 0);
        r->last_release = hd_realloc(r->last_release, id + 1, sizeof *r->last_release);
        r->last_release[id] = 0;
    }
    return id;
}

static uint32_t object_of(struct reader *r, const char *name, unsigned kind)
{
    bool fresh;
    uint32_t id = intern(&r->objects, name, &fresh);
    if (fresh)
        hd_trace_add_object(r->t, kind, 0x1000 + id);
    return id;
}

static void add_line(struct reader *r, char *line)
{
    bool fresh;
    char *thread = strsep(&line, "|"), *what = strsep(&line, "|"), *where = strsep(&line, "|\n");
    if (!what)
        return;
    char *op = strsep(&what, "("), *operand = strsep(&what, ")");
    uint32_t t = thread_of(r, thread), site = where ? intern(&r->sites, where, &fresh) : HD_NO_INDEX;
    if (where && fresh)
        hd_trace_add_site(r->t, HD_NO_INDEX, site);
    struct hd_event e = {.thread = t, .object = HD_NO_INDEX, .stack = HD_NO_INDEX, .site = site};
    if (!strcmp(op, "r") || !strcmp(op, "w")) {
        e.kind = *op == 'r' ? HD_READ : HD_WRITE;
        e.address = 0x10000 + 8 * (uint64_t)intern(&r->variables, operand, &fresh);
        e.size = 8;
    } else if (!strcmp(op, "fork") || !strcmp(op, "join")) {
        e.kind = *op == 'f' ? HD_CREATE : HD_JOIN;
        e.value = thread_of(r, operand);
    } else if (!strcmp(op, "acq") || !strcmp(op, "rel")) {
        e.kind = *op == 'a' ? HD_LOCK : HD_UNLOCK;
        e.object = object_of(r, operand, HD_OBJECT_MUTEX);
    } else {
        e.kind = *op == 's' ? HD_SIGNAL : HD_COND_WAKE;
        e.value = *op == 'w';
        e.object = object_of(r, operand, HD_OBJECT_COND);
        if (*op == 'w' && r->last_release[t]) {
            struct hd_event *wait = &r->t->event[r->last_release[t] - 1];
            wait->kind = HD_COND_WAIT;
            wait->value = wait->object + 1;
            wait->object = e.object;
        }
    }
    struct hd_event *at = hd_trace_add_event(r->t);
    *at = e;
    if (e.kind == HD_UNLOCK)
        r->last_release[t] = r->t->events;
}

static void free_names(struct names *n)
{
    for (size_t i = 0; i < n->size; i++)
        free(n->name[i]);
    free(n->name);
    free(n->id);
}

static struct hd_trace *read_std(const char *path)
{
    struct reader r = {.t = hd_trace_new()};
    char line[512], *command = hd_format("gzip -dcf '%s'", path);
    FILE *in = popen(command, "r");
    while (in && fgets(line, sizeof line, in))
        add_line(&r, line);
    if (!in || pclose(in) != 0)
        fprintf(stderr, "%s: cannot be read\n", path);
    free(command);
    free(r.last_release);
    free_names(&r.threads);
    free_names(&r.objects);
    free_names(&r.variables);
    free_names(&r.sites);
    return r.t;
}

static void count_stages(char *text)
{
    static const char *const stages[] = {"same-value", "stage0", "stage1", "stage2", "stage3", "search", "budget"};
    unsigned long n[7][2] = {{0}};
    for (char *row; text && (row = strsep(&text, "\n")) && *row;) {
        char *stage = strrchr(row, '\t') + 1;
        for (int i = 0; i < 7; i++)
            if (!strcmp(stage, stages[i]))
                n[i][strstr(row, "\twitness\t") != NULL]++;
    }
    for (int i = 0; i < 7; i++)
        if (n[i][0] || n[i][1])
            printf("    %s: %lu no, %lu yes\n", stages[i], n[i][0], n[i][1]);
}

struct totals {
    uint64_t traces, events, candidates, impossible, feasible, open, findings;
    double cpu, wall;
};

static double now_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void one_trace(const char *path, struct hd_analyze_options *options, bool stages, struct totals *sum)
{
    struct hd_trace *t = read_std(path);
    char *text = NULL;
    size_t size = 0;
    options->account = stages ? open_memstream(&text, &size) : NULL;
    struct hd_symbols *symbols = hd_symbols_new(t);
    double cpu = now_of(CLOCK_PROCESS_CPUTIME_ID), wall = now_of(CLOCK_MONOTONIC);
    struct hd_analysis *a = hd_analyze(t, symbols, options);
    cpu = now_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = now_of(CLOCK_MONOTONIC) - wall;
    if (options->account)
        fclose(options->account);
    printf("%-60s %8zu events %9llu candidates %9llu no %8llu yes %4llu open %6zu findings %8.3f s\n", path, t->events,
           (unsigned long long)a->candidates, (unsigned long long)a->impossible, (unsigned long long)a->feasible,
           (unsigned long long)a->open, a->witnesses, cpu);
    if (stages)
        count_stages(text);
    fflush(stdout);
    free(text);
    sum->traces++;
    sum->candidates += a->candidates;
    sum->impossible += a->impossible;
    sum->feasible += a->feasible;
    sum->open += a->open;
    sum->findings += a->witnesses;
    sum->events += t->events;
    sum->cpu += cpu;
    sum->wall += wall;
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    hd_trace_free(t);
}

static void say_totals(const struct totals *s, bool tabs)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(tabs ? "%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%.3f\t%.3f\t%ld\n"
                : "%llu traces, %llu events, %llu candidates: %llu impossible, %llu feasible, %llu open, %llu findings; "
                  "%.3f s, %.3f s wall, %ld kB\n",
           (unsigned long long)s->traces, (unsigned long long)s->events, (unsigned long long)s->candidates,
           (unsigned long long)s->impossible, (unsigned long long)s->feasible, (unsigned long long)s->open,
           (unsigned long long)s->findings, s->cpu, s->wall, usage.ru_maxrss);
}

int main(int argc, char **argv)
{
    struct hd_analyze_options options = {.kinds = HD_KINDS_NONDET};
    struct totals sum = {0};
    bool stages = false, tabs = false;
    for (int c; (c = getopt(argc, argv, "k:j:adsvcb:t")) != -1;) {
        if (c == 'k')
            options.kinds = (unsigned)atoi(optarg);
        else if (c == 'j')
            options.jobs = (unsigned)atoi(optarg);
        else if (c == 'b')
            options.state_budget = strtoull(optarg, NULL, 10);
        else if (c == 'c')
            options.verify = true;
        else if (c == 'v')
            options.verdicts_only = true;
        else if (c == 'd')
            options.once = true;
        else if (c == 'a')
            options.all = true;
        else if (c == 't')
            tabs = true;
        else
            stages = true;
    }
    for (int i = optind; i < argc; i++)
        one_trace(argv[i], &options, stages, &sum);
    say_totals(&sum, tabs);
    return 0;
}
