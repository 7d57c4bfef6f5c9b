// SPDX-License-Identifier: Apache-2.0
// The engine against an SMT solver, on traces too large to enumerate. Random traces
// of 60 to 300 events are analysed; of each, some candidates of every kind, verdict
// and stage are asked of z3, in an encoding of its own (tests/smt_encode.h), and the
// two have to agree. Then rules of the encoding are left out, one at a time: each has
// to be missed.
//
// usage: smt_test [TRACES [CANDIDATES-A-TRACE]]
#include <stdlib.h>
#include <string.h>

#include "tests/smt_candidates.h"
#include "tests/smt_shrink.h"
#include "tests/smt_solver.h"

enum { SMALLEST = 60, BOUNDED = 110, STEP = 20, SIZES = 13, GROUPS = 128, EFFORT = 200000000 };

/* What z3 says of candidates that the engine decided, by that, and of those it left open. */
struct tally {
    unsigned long agreed[SMT_KINDS][2], settled[2], disagreed, gave_up, unlisted;
    unsigned long candidates[SMT_KINDS], open[SMT_KINDS], small, small_open; /* asked or not; small: up to BOUNDED */
};

static struct smt_solver *solver;

static void make_trace(struct made *m, unsigned seed, unsigned events)
{
    generate_long(m, seed, 3 + seed % (THREADS - 2), events, 1 + events / 75);
}

/* ---------------------------------------------------------------- the sample */

static int by_rank(const void *a, const void *b)
{
    unsigned p = ((const struct smt_candidate *)a)->rank, q = ((const struct smt_candidate *)b)->rank;
    return p < q ? -1 : p > q;
}

static bool alike(const struct smt_candidate *a, const struct smt_candidate *b)
{
    return a->question.kind == b->question.kind && a->question.events == b->question.events &&
           a->verdict == b->verdict && !strcmp(a->stage, b->stage);
}

/* In an order in which every beginning has of each kind, verdict and stage about as many. */
static void mix(struct smt_candidates *l)
{
    struct { const struct smt_candidate *like; unsigned count; } group[GROUPS];
    unsigned groups = 0;
    for (size_t i = l->count; i > 1; i--) {
        size_t j = pick((unsigned)i);
        struct smt_candidate kept = l->candidate[i - 1];
        l->candidate[i - 1] = l->candidate[j];
        l->candidate[j] = kept;
    }
    for (size_t i = 0; i < l->count; i++) {
        unsigned g = 0;
        while (g < groups && !alike(group[g].like, &l->candidate[i]))
            g++;
        if (g == GROUPS)
            abort();
        if (g == groups) {
            group[groups].like = &l->candidate[i];
            group[groups++].count = 0;
        }
        l->candidate[i].rank = group[g].count++ * GROUPS + g;
    }
    if (l->count)
        qsort(l->candidate, l->count, sizeof *l->candidate, by_rank);
}

/* ------------------------------------------------------------ the comparison */

static bool agree(enum smt_verdict verdict, enum smt_answer answer)
{
    return (verdict == SMT_WITNESS) == (answer == SMT_SAT);
}

static enum smt_answer ask_afresh(const struct smt_view *v, const struct smt_question *q)
{
    FILE *f = smt_solver_fresh(solver);
    smt_write_trace(f, v);
    smt_write_question(f, v, q, 0);
    return smt_solver_answer(solver);
}

/* Still a disagreement, in a trace that is smaller? */
static bool disagrees(const struct made *m, const struct smt_question *q)
{
    struct smt_view v;
    struct smt_candidates l;
    smt_view_make(&v, m, SMT_ALL_RULES);
    smt_candidates_make(&l, &v);
    enum smt_verdict verdict = smt_candidates_verdict(&l, q);
    smt_candidates_free(&l);
    if (verdict == SMT_OPEN || (verdict == SMT_NOT_LISTED && !smt_waits_for_semaphore(&v, q)))
        return false;
    enum smt_answer answer = ask_afresh(&v, q);
    return answer != SMT_GAVE_UP && !agree(verdict, answer);
}

static void print_trace(const struct made *m)
{
    printf("  values %d, semaphore %u\n", m->t->has_values, m->semaphore_start);
    for (unsigned i = 0; i < m->t->events; i++) {
        const struct hd_event *e = &m->t->event[i];
        printf("  %3u thread %u %s", i, e->thread, hd_kind_word(e->kind));
        if (e->size)
            printf(" bytes %u+%u value %llx then %llx\n", m->first[i], e->size, (unsigned long long)e->value,
                   (unsigned long long)e->second);
        else
            printf(" object %d value %llx\n", (int)e->object, (unsigned long long)e->value);
    }
}

static void show(const struct made *m, unsigned seed, const struct smt_candidate *c, enum smt_answer answer)
{
    struct smt_question q = c->question;
    printf("trace %u, ", seed);
    smt_question_print(&q);
    printf(": the engine says %s (%s), z3 says %s\n", smt_verdict_word(c->verdict), c->stage,
           answer == SMT_SAT ? "witness" : "impossible");
    struct made small = smt_shrink(m, &q, disagrees);
    printf(" in smaller, ");
    smt_question_print(&q);
    puts(":");
    print_trace(&small);
    hd_trace_free(small.t);
}

static void count(const struct made *m, const struct smt_candidates *l, struct tally *tally)
{
    bool small = m->t->events <= BOUNDED;
    for (size_t i = 0; i < l->count; i++) {
        bool open = l->candidate[i].verdict == SMT_OPEN;
        tally->candidates[l->candidate[i].question.kind]++;
        tally->open[l->candidate[i].question.kind] += open;
        tally->small += small;
        tally->small_open += small && open;
    }
}

/* False: they disagree. */
static bool judge(const struct smt_candidate *c, enum smt_answer answer, struct tally *tally)
{
    if (answer == SMT_GAVE_UP)
        tally->gave_up++;
    else if (c->verdict == SMT_OPEN)
        tally->settled[answer == SMT_SAT]++;
    else if (agree(c->verdict, answer))
        tally->agreed[c->question.kind][c->verdict == SMT_WITNESS]++;
    else
        tally->disagreed++;
    return answer == SMT_GAVE_UP || c->verdict == SMT_OPEN || agree(c->verdict, answer);
}

/* Up to `most` candidates of the trace, or up to the first disagreement. */
static void compare(const struct made *m, unsigned seed, unsigned most, enum smt_rule without, struct tally *tally)
{
    struct smt_view v;
    struct smt_candidates l;
    smt_view_make(&v, m, without);
    if (!smt_candidates_make(&l, &v)) {
        printf("trace %u: other candidates\n", seed);
        tally->disagreed++;
    }
    count(m, &l, tally);
    mix(&l);
    smt_write_trace(smt_solver_fresh(solver), &v);
    for (size_t i = 0; i < l.count && i < most; i++) {
        const struct smt_candidate *c = &l.candidate[i];
        if (c->verdict == SMT_NOT_LISTED && l.patterns) {
            tally->unlisted++;
            continue;
        }
        smt_write_question(smt_solver_input(solver), &v, &c->question, (unsigned)i);
        enum smt_answer answer = smt_solver_answer(solver);
        if (judge(c, answer, tally))
            continue;
        if (without == SMT_ALL_RULES)
            show(m, seed, c, answer);
        break;
    }
    smt_candidates_free(&l);
}

/* ------------------------------------------------------------------ the runs */

static void print_tally(const struct tally *t, const unsigned long *sum, unsigned traces)
{
    for (unsigned kind = 0; kind < SMT_KINDS; kind++)
        printf("%-8s agreed: %6lu impossible %6lu witness; open: %lu of %lu\n", smt_kind_word[kind],
               t->agreed[kind][0], t->agreed[kind][1], t->open[kind], t->candidates[kind]);
    printf("%u traces: %lu agreed (%lu impossible, %lu witness), %lu disagreed; z3 gave up on %lu\n", traces,
           sum[0] + sum[1], sum[0], sum[1], t->disagreed, t->gave_up);
    printf("open: %lu of %lu in traces up to %d events; where z3 was asked, %lu are impossible, %lu witnesses\n",
           t->small_open, t->small, BOUNDED, t->settled[0], t->settled[1]);
    if (t->unlisted)
        printf("%lu cycles are spoken for by others of their pattern\n", t->unlisted);
}

/* How much is wrong. */
static unsigned long run(unsigned traces, unsigned most)
{
    static struct made m;
    struct tally tally = {0};
    unsigned long sum[2] = {0};
    for (unsigned seed = 0; seed < traces; seed++) {
        make_trace(&m, seed, SMALLEST + STEP * (seed % SIZES));
        compare(&m, seed, most, SMT_ALL_RULES, &tally);
        hd_trace_free(m.t);
    }
    for (unsigned kind = 0; kind < SMT_KINDS; kind++)
        for (unsigned verdict = 0; verdict < 2; verdict++)
            sum[verdict] += tally.agreed[kind][verdict];
    print_tally(&tally, sum, traces);
    return tally.disagreed + tally.gave_up + tally.small_open + (sum[0] < 2 * traces) + (sum[1] < 2 * traces);
}

/* The first seed to try, then each ninth, which are the traces in which the rule matters. */
static const struct { enum smt_rule rule; unsigned first; const char *name; } rules[] = {
    {SMT_VALUES, 6, "reads keep what they saw"},
    {SMT_NOTHING_BETWEEN, 141, "no other write between a write and its read"},
    {SMT_EXCLUSION, 6, "sections of a lock exclude each other"},
    {SMT_LEFT_OPEN, 6, "so do sections left open"},
    {SMT_READERS_SHARE, 0, "readers share"},
    {SMT_REFUSED, 6, "a failed try finds the lock held"},
    {SMT_FORK, 8, "a thread starts after its creation"},
    {SMT_JOIN, 8, "a join is after the end"},
    {SMT_NOT_ENDED, 1133, "a failed join is before the end"},
    {SMT_SIGNAL_AFTER_WAIT, 82, "a signal is after the wait began"},
    {SMT_SIGNAL_ONCE, 190, "a signal wakes one"},
    {SMT_BARRIER, 2, "nobody leaves a barrier before all have come"},
    {SMT_COUNT, 246, "a semaphore is had when it is not zero"},
    {SMT_EMPTY, 120, "and refused when it is"},
    {SMT_ONCE, 4, "once is over when it is passed"},
    {SMT_ANNOTATION, 5, "annotations order"},
    {SMT_LAST_WRITE, 6, "the challenger is the last write"},
    {SMT_NEXT, 6, "what is next has not been made"},
    {SMT_DRAINED, 3, "who is stuck at a semaphore finds it zero"},
};

/* How many rules can be left out and nobody sees it. */
static unsigned leave_out_rules(void)
{
    enum { TRIES = 100, RULES = sizeof rules / sizeof *rules };
    static struct made m;
    unsigned unseen = 0;
    for (unsigned n = 0; n < RULES; n++) {
        struct tally tally = {0};
        unsigned tries = 0;
        for (; tries < TRIES && !tally.disagreed; tries++) {
            make_trace(&m, rules[n].first + 9 * tries, SMALLEST);
            compare(&m, tries, 1000, rules[n].rule, &tally);
            hd_trace_free(m.t);
        }
        if (!tally.disagreed) {
            printf("left out and not missed: %s\n", rules[n].name);
            unseen++;
        }
    }
    printf("%u of %u rules are missed where they are left out\n", RULES - unseen, RULES);
    return unseen;
}

int main(int argc, char **argv)
{
    unsigned traces = argc > 1 ? (unsigned)atoi(argv[1]) : 26, most = argc > 2 ? (unsigned)atoi(argv[2]) : 14;
    solver = smt_solver_start(EFFORT);
    if (!solver) {
        puts("z3 is not installed");
        return 77;
    }
    unsigned long bad = run(traces, most) + leave_out_rules();
    printf("z3 took %.1f s\n", smt_solver_end(solver));
    return bad ? 1 : 0;
}
