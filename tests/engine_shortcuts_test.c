// SPDX-License-Identifier: Apache-2.0
// The engine's short cuts (analyze/engine.h) change no verdict. Traces of long turns
// are analysed with them, the checker replaying every witness, and again without:
// the accounts have to say the same, line by line, where the
// plain way decides.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"

enum { THREADS = 4, LOCKS = 3, WORDS = 12, NOBODY = THREADS, NONE = HD_NO_INDEX };

struct program {
    struct hd_trace *t;
    unsigned owner[LOCKS], inside[THREADS]; /* inside: 1 + lock */
    uint32_t waits[THREADS];                /* on that condition, of one wait alone */
    unsigned signalled[THREADS], lock_of[THREADS];
};

static uint64_t random_state;

static unsigned pick(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % n;
}

static struct hd_event *emit(struct program *p, unsigned thread, unsigned kind, uint32_t object, uint64_t value)
{
    struct hd_event *e = hd_trace_add_event(p->t);
    *e = (struct hd_event){.thread = thread, .kind = (uint8_t)kind, .object = object, .value = value,
                           .stack = NONE, .site = NONE};
    return e;
}

static void access_word(struct program *p, unsigned thread)
{
    struct hd_event *e = emit(p, thread, pick(10) < 7 ? HD_READ : HD_WRITE, NONE, 0);
    e->address = 0x1000 + 8 * pick(WORDS);
    e->size = 8;
}

static void go_in(struct program *p, unsigned thread, unsigned lock)
{
    if (p->owner[lock] != NOBODY)
        return;
    emit(p, thread, HD_LOCK, lock, 0);
    p->owner[lock] = thread;
    p->inside[thread] = 1 + lock;
}

static void go_out(struct program *p, unsigned thread)
{
    unsigned lock = p->inside[thread] - 1;
    p->owner[lock] = NOBODY;
    p->inside[thread] = 0;
    unsigned waiting = 1;
    for (unsigned u = 0; u < THREADS; u++)
        waiting += p->waits[u] != NONE;
    if (waiting == THREADS || pick(4)) {
        emit(p, thread, HD_UNLOCK, lock, 0);
        return;
    }
    p->waits[thread] = hd_trace_add_object(p->t, HD_OBJECT_COND, 0x90000 + 64 * p->t->objects);
    p->lock_of[thread] = lock;
    emit(p, thread, HD_COND_WAIT, p->waits[thread], lock + 1);
}

static void go_on_waiting(struct program *p, unsigned thread)
{
    if (!p->signalled[thread] || p->owner[p->lock_of[thread]] != NOBODY)
        return;
    emit(p, thread, HD_COND_WAKE, p->waits[thread], 1);
    p->waits[thread] = NONE;
    p->signalled[thread] = false;
    go_in(p, thread, p->lock_of[thread]);
}

static void signal_somebody(struct program *p, unsigned thread)
{
    unsigned u = pick(THREADS);
    if (u == thread || p->waits[u] == NONE || p->signalled[u])
        return;
    emit(p, thread, HD_SIGNAL, p->waits[u], 0);
    p->signalled[u] = true;
}

static void step(struct program *p, unsigned thread)
{
    unsigned what = pick(100);
    if (p->waits[thread] != NONE)
        go_on_waiting(p, thread);
    else if (what < 10)
        signal_somebody(p, thread);
    else if (!p->inside[thread] && what < 20)
        go_in(p, thread, pick(LOCKS));
    else if (p->inside[thread] && what < 35)
        go_out(p, thread);
    else
        access_word(p, thread);
}

static struct hd_trace *long_turns(unsigned seed, size_t events, unsigned turn)
{
    struct program p = {.t = hd_trace_new()};
    char path[8];
    unsigned now = 0;
    random_state = seed;
    for (unsigned i = 0; i < THREADS; i++) {
        snprintf(path, sizeof path, i ? "0.%u" : "0", i);
        hd_trace_add_thread(p.t, path, 0, 0);
        p.waits[i] = NONE;
    }
    for (unsigned i = 0; i < LOCKS; i++) {
        hd_trace_add_object(p.t, HD_OBJECT_MUTEX, 0x9000 + 64 * i);
        p.owner[i] = NOBODY;
    }
    for (unsigned i = 1; i < THREADS; i++)
        emit(&p, 0, HD_CREATE, NONE, i);
    while (p.t->events < events) {
        now = pick(turn) ? now : pick(THREADS);
        size_t before = p.t->events;
        step(&p, now);
        now = p.t->events > before ? now : pick(THREADS);
    }
    return p.t;
}

struct account { char *text; uint64_t candidates, feasible, open; };

static struct account account_of(const struct hd_trace *t, bool plain)
{
    struct account r = {0};
    size_t size = 0;
    struct hd_analyze_options options = {.kinds = HD_KINDS_NONDET, .strict_writers = true, .verdicts_only = true,
                                         .plain = plain, .verify = !plain, .account = open_memstream(&r.text, &size)};
    struct hd_symbols *symbols = hd_symbols_new(t);
    struct hd_analysis *a = hd_analyze(t, symbols, &options);
    fclose(options.account);
    r.candidates = a->candidates;
    r.feasible = a->feasible;
    r.open = a->open;
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    return r;
}

/* Next line without its last column, the stage that decided. */
static char *next(char **text)
{
    char *row = strsep(text, "\n"), *stage = row ? strrchr(row, '\t') : NULL;
    if (stage)
        *stage = 0;
    return row;
}

static unsigned differences(unsigned seed, struct account *quick, struct account *plain)
{
    char *a = quick->text, *b = plain->text;
    unsigned found = 0;
    while (a && b) {
        char *p = next(&a), *q = next(&b);
        char *verdict = strrchr(q, '\t');
        bool undecided = verdict && strcmp(verdict, "\topen") == 0 && strncmp(p, q, (size_t)(verdict - q)) == 0;
        if (strcmp(p, q) != 0 && !undecided && found++ < 5)
            printf("trace %u: with short cuts: %s; without: %s\n", seed, p, q);
    }
    return found + (a || b);
}

int main(int argc, char **argv)
{
    unsigned traces = argc > 1 ? (unsigned)atoi(argv[1]) : 60, most = argc > 2 ? (unsigned)atoi(argv[2]) : 1500;
    uint64_t candidates = 0, feasible = 0, open = 0;
    unsigned failed = 0;
    for (unsigned seed = 0; seed < traces; seed++) {
        struct hd_trace *t = long_turns(seed, most / 5 * (1 + seed % 5), 10 << seed % 4);
        struct account quick = account_of(t, false), plain = account_of(t, true);
        failed += differences(seed, &quick, &plain) != 0;
        candidates += quick.candidates;
        feasible += quick.feasible;
        open += quick.open;
        free(quick.text);
        free(plain.text);
        hd_trace_free(t);
    }
    printf("%u passed, %u failed: %llu candidates, %llu feasible, %llu open\n", traces - failed, failed,
           (unsigned long long)candidates, (unsigned long long)feasible, (unsigned long long)open);
    return failed != 0;
}
