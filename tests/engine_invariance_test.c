// SPDX-License-Identifier: Apache-2.0
// What must not change the findings: names of threads, objects and places, the
// order in which unrelated events were recorded, the number of workers, and whether
// a finding is looked for once or in all of its candidates. Random traces are
// changed so, analysed again, and the accounts compared line by line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "tests/random_trace.h"

enum { LINES = 4096 };

static char lines[2][LINES][96];
static unsigned count[2];

static char *account_of(const struct hd_trace *t, unsigned jobs, bool once, size_t *witnesses)
{
    char *text = NULL;
    size_t size = 0;
    struct hd_analyze_options options = {.kinds = HD_KINDS_ALL, .jobs = jobs, .once = once,
                                         .account = open_memstream(&text, &size)};
    struct hd_symbols *symbols = hd_symbols_new(t);
    struct hd_analysis *a = hd_analyze(t, symbols, &options);
    fclose(options.account);
    *witnesses = a->witnesses;
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    return text;
}

static int compare_numbers(const void *a, const void *b)
{
    return (int)(*(const long *)a - *(const long *)b);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Kind, events by their first trace's positions, verdict; the stage may change. */
static void gather(unsigned side, char *text, const unsigned *was)
{
    count[side] = 0;
    while (text && *text) {
        char *row = strsep(&text, "\n"), *kind = strsep(&row, "\t");
        long p[3];
        for (int i = 0; i < 3; i++) {
            char *s = strsep(&row, "\t");
            p[i] = *s ? (long)was[atoi(s)] : -1;
        }
        if (!strcmp(kind, "race") || !strcmp(kind, "deadlock"))
            qsort(p, 3, sizeof *p, compare_numbers);
        if (count[side] == LINES)
            abort();
        snprintf(lines[side][count[side]++], sizeof lines[0][0], "%s %ld %ld %ld %s", kind, p[0], p[1], p[2],
                 strsep(&row, "\t"));
    }
    qsort(lines[side], count[side], sizeof lines[0][0], compare_lines);
}

static void shuffle(unsigned *order, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        order[i] = i;
    for (unsigned i = n; i > 1; i--) {
        unsigned j = pick(i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/* May two neighbours of different threads change places, and nothing be different? */
static bool unrelated(const struct hd_event *a, const struct hd_event *b)
{
    bool data_a = a->size, data_b = b->size;
    if (a->thread == b->thread || a->kind == HD_ALLOC || b->kind == HD_ALLOC || a->kind == HD_FREE ||
        b->kind == HD_FREE)
        return false;
    if (data_a && data_b) {
        bool reads = (a->kind == HD_READ || a->kind == HD_ATOMIC_LOAD) && (b->kind == HD_READ || b->kind == HD_ATOMIC_LOAD);
        return reads || a->address + a->size <= b->address || b->address + b->size <= a->address;
    }
    if (data_a || data_b)
        return true;
    return a->object != HD_NO_INDEX && b->object != HD_NO_INDEX && a->object != b->object &&
           a->kind != HD_COND_WAIT && b->kind != HD_COND_WAIT;
}

/* Pages in the opposite order. */
static uint64_t moved(uint64_t address)
{
    return 0x900000 - (address & ~(uint64_t)0xfff) + (address & 0xfff);
}

static uint64_t same(uint64_t address)
{
    return address;
}

static struct hd_trace *start_trace(const struct hd_trace *t, const unsigned *thread, const unsigned *object,
                                    uint64_t (*place)(uint64_t))
{
    struct hd_trace *u = hd_trace_new();
    for (unsigned i = 0; i < 5; i++)
        hd_trace_add_site(u, HD_NO_INDEX, i);
    u->has_values = t->has_values;
    for (unsigned i = 0; i < t->threads; i++)
        for (unsigned k = 0; k < t->threads; k++)
            if (thread[k] == i)
                hd_trace_add_thread(u, t->thread[k].path, 0, 0);
    for (unsigned i = 0; i < t->objects; i++)
        for (unsigned k = 0; k < t->objects; k++)
            if (object[k] == i)
                hd_trace_add_object(u, t->object[k].kind, place(t->object[k].address));
    return u;
}

static struct hd_trace *renamed(const struct hd_trace *t, unsigned *was)
{
    unsigned thread[THREADS], object[OBJECTS];
    shuffle(thread, (unsigned)t->threads);
    shuffle(object, (unsigned)t->objects);
    struct hd_trace *u = start_trace(t, thread, object, moved);
    for (size_t i = 0; i < t->events; i++) {
        struct hd_event e = t->event[i];
        bool whole = e.size || e.kind == HD_ALLOC || e.kind == HD_FREE;
        e.thread = thread[e.thread];
        e.object = e.object == HD_NO_INDEX ? HD_NO_INDEX : object[e.object];
        e.address = whole ? moved(e.address) : e.address;
        if (e.kind == HD_CREATE || e.kind == HD_JOIN || e.kind == HD_JOIN_FAIL)
            e.value = thread[e.value];
        if (e.kind == HD_COND_WAIT && e.value)
            e.value = object[e.value - 1] + 1;
        *hd_trace_add_event(u) = e;
        was[i] = (unsigned)i;
    }
    return u;
}

static struct hd_trace *reordered(const struct hd_trace *t, unsigned *was)
{
    unsigned thread[THREADS], object[OBJECTS];
    for (unsigned i = 0; i < t->threads; i++)
        thread[i] = i;
    for (unsigned i = 0; i < t->objects; i++)
        object[i] = i;
    struct hd_trace *u = start_trace(t, thread, object, same);
    for (size_t i = 0; i < t->events; i++) {
        was[i] = (unsigned)i;
        *hd_trace_add_event(u) = t->event[i];
    }
    for (unsigned n = 0; n < 400; n++) {
        unsigned i = pick((unsigned)t->events - 1), kept = was[i];
        if (!unrelated(&u->event[i], &u->event[i + 1]))
            continue;
        struct hd_event e = u->event[i];
        u->event[i] = u->event[i + 1];
        u->event[i + 1] = e;
        was[i] = was[i + 1];
        was[i + 1] = kept;
    }
    return u;
}

/* So that several candidates are one finding. */
static void give_places(struct hd_trace *t)
{
    for (unsigned i = 0; i < 5; i++)
        hd_trace_add_site(t, HD_NO_INDEX, i);
    for (size_t i = 0; i < t->events; i++)
        t->event[i].site = (uint32_t)(i % 5);
}

static unsigned differences(const char *what, unsigned seed)
{
    unsigned i = 0, j = 0, found = 0;
    while (i < count[0] || j < count[1]) {
        int order = i == count[0] ? 1 : j == count[1] ? -1 : strcmp(lines[0][i], lines[1][j]);
        if (order)
            printf("trace %u, %s: only %s: %s\n", seed, what, order < 0 ? "before" : "after",
                   order < 0 ? lines[0][i] : lines[1][j]);
        found += order != 0;
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

int main(int argc, char **argv)
{
    unsigned traces = argc > 1 ? (unsigned)atoi(argv[1]) : 1500, failed = 0, candidates = 0, moved = 0;
    size_t findings = 0;
    static struct made m;
    static unsigned was[EVENTS + 4], same[EVENTS + 4];
    for (unsigned i = 0; i < EVENTS + 4; i++)
        same[i] = i;
    for (unsigned seed = 0; seed < traces; seed++) {
        size_t found[2];
        generate(&m, seed);
        give_places(m.t);
        char *text = account_of(m.t, 1, false, &found[0]), *other = account_of(m.t, 4, false, &found[1]);
        unsigned wrong = strcmp(text, other) != 0 || found[0] != found[1];
        if (wrong)
            printf("trace %u: four workers find something else\n", seed);
        free(other);
        free(account_of(m.t, 1, true, &found[1]));
        if (found[0] != found[1])
            printf("trace %u: %zu findings, %zu where each is looked for once\n", seed, found[0], found[1]);
        wrong += found[0] != found[1];
        findings += found[0];
        gather(0, text, same);
        candidates += count[0];
        for (int how = 0; how < 2; how++) {
            struct hd_trace *t = how ? reordered(m.t, was) : renamed(m.t, was);
            moved += memcmp(was, same, m.t->events * sizeof *was) != 0;
            other = account_of(t, 1, false, &found[1]);
            gather(1, other, was);
            wrong += differences(how ? "another order" : "other names", seed);
            free(other);
            hd_trace_free(t);
        }
        free(text);
        failed += wrong != 0;
        hd_trace_free(m.t);
    }
    printf("%u passed, %u failed: %u candidates, %zu findings, %u traces in another order\n", traces - failed, failed,
           candidates, findings, moved);
    return failed || candidates < traces || moved < traces / 2 ? 1 : 0;
}
