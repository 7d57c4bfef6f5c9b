// SPDX-License-Identifier: Apache-2.0
#include "tests/smt_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "proto/memory.h"

const char *const smt_kind_word[SMT_KINDS] = {"triplet", "initial", "race", "memory", "cycle", "ended"};
static const char *const verdict_word[] = {"impossible", "witness", "open", "not listed"};

const char *smt_verdict_word(enum smt_verdict verdict)
{
    return verdict_word[verdict];
}

void smt_question_print(const struct smt_question *q)
{
    printf("%s", smt_kind_word[q->kind]);
    for (unsigned i = 0; i < q->events; i++)
        printf(" %u", q->event[i]);
}

/* Ascending, cycles with their smallest event first. */
static void add(struct smt_candidates *c, enum smt_kind kind, const unsigned *event, unsigned events)
{
    struct smt_candidate one = {.question = {.kind = kind, .events = events}, .verdict = SMT_NOT_LISTED};
    unsigned first = 0;
    for (unsigned i = 1; kind == SMT_CYCLE && i < events; i++)
        first = event[i] < event[first] ? i : first;
    for (unsigned i = 0; i < events; i++)
        one.question.event[i] = event[(first + i) % events];
    HD_GROW(c->candidate, c->count, c->room);
    c->candidate[c->count++] = one;
}

static int compare(const void *a, const void *b)
{
    const struct smt_question *p = &((const struct smt_candidate *)a)->question;
    const struct smt_question *q = &((const struct smt_candidate *)b)->question;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->events != q->events)
        return p->events < q->events ? -1 : 1;
    for (unsigned i = 0; i < p->events; i++)
        if (p->event[i] != q->event[i])
            return p->event[i] < q->event[i] ? -1 : 1;
    return 0;
}

/* ------------------------------------------------------------------ the list */

static bool accesses(const struct hd_event *e)
{
    return smt_reads(e) || smt_writes(e);
}

static void list_triplets(struct smt_candidates *l, const struct smt_view *v, unsigned r)
{
    const struct hd_event *event = v->m->t->event;
    bool foreign = false;
    for (unsigned k = 0; k < event[r].size; k++) {
        unsigned w = v->origin[r][k];
        foreign |= w && event[w - 1].thread != event[r].thread;
    }
    if (foreign && v->m->t->has_values)
        add(l, SMT_INITIAL, &r, 1);
    for (unsigned c = 0; c < v->m->t->events; c++) {
        bool other = false;
        for (unsigned k = 0; k < event[r].size; k++)
            other |= smt_covers(v->m, c, v->m->first[r] + k) && v->origin[r][k] != c + 1;
        if (other && smt_writes(&event[c]) && event[c].thread != event[r].thread)
            add(l, SMT_TRIPLET, (unsigned[]){r, c}, 2);
    }
}

static bool overlap(const struct smt_view *v, unsigned a, unsigned b)
{
    const struct hd_event *event = v->m->t->event;
    return v->m->first[a] < v->m->first[b] + event[b].size && v->m->first[b] < v->m->first[a] + event[a].size;
}

static void list_pairs(struct smt_candidates *l, const struct smt_view *v, unsigned a)
{
    const struct hd_event *event = v->m->t->event;
    for (unsigned b = a + 1; b < v->m->t->events; b++) {
        if (event[a].thread == event[b].thread)
            continue;
        if (accesses(&event[a]) && accesses(&event[b]) && overlap(v, a, b) &&
            (smt_writes(&event[a]) || smt_writes(&event[b])) &&
            !(hd_kind_is_atomic(event[a].kind) && hd_kind_is_atomic(event[b].kind)))
            add(l, SMT_RACE, (unsigned[]){a, b}, 2);
        bool tenant = touches_object(&event[a]) && end_of_block(v->m, event[a].object) == (int)b;
        if (tenant || (event[b].kind == HD_FREE && accesses(&event[a]) && event[a].kind != HD_UNSEEN_WRITE &&
                       v->m->first[a] == v->m->first[b]))
            add(l, SMT_MEMORY, (unsigned[]){a, b}, 2);
    }
}

static bool gives_way(const struct hd_event *reader)
{
    return reader->kind == HD_RDLOCK && reader->value;
}

/* A writer stands at `at`, and the reader waits behind it. */
static bool is_behind(const struct smt_view *v, unsigned reader, unsigned at)
{
    const struct hd_event *r = &v->m->t->event[reader], *w = &v->m->t->event[at];
    return gives_way(r) && w->kind == HD_WRLOCK && w->object == r->object && !smt_held_at(v, at, w->object);
}

/* What may have to wait; a lock, a join and a once do once all stand there. */
static bool is_request(const struct smt_view *v, unsigned i)
{
    const struct hd_event *e = &v->m->t->event[i];
    return smt_takes(e) ? !smt_held_at(v, i, e->object) || gives_way(e) : e->kind == HD_JOIN || e->kind == HD_ONCE_PASS ||
                                                                   e->kind == HD_SEM_WAIT;
}

static bool inside_once(const struct smt_view *v, unsigned at)
{
    bool inside = false;
    for (unsigned i = v->previous[at]; i != SMT_NONE && !inside; i = v->previous[i]) {
        if (v->m->t->event[i].kind == HD_ONCE_END)
            return false;
        inside = v->m->t->event[i].kind == HD_ONCE_BEGIN;
    }
    return inside;
}

static bool owes_post(const struct smt_view *v, unsigned at)
{
    const struct hd_event *event = v->m->t->event;
    for (unsigned i = at; i < v->m->t->events; i++)
        if (event[i].thread == event[at].thread && event[i].kind == HD_SEM_POST)
            return true;
    return false;
}

/* Can the request wait for the thread that stands before `at`? */
static bool waits_for(const struct smt_view *v, unsigned request, unsigned at)
{
    const struct hd_event *e = &v->m->t->event[request];
    if (e->kind == HD_JOIN)
        return e->value == v->m->t->event[at].thread;
    if (e->kind == HD_ONCE_PASS)
        return inside_once(v, at);
    if (e->kind == HD_SEM_WAIT)
        return owes_post(v, at);
    const struct smt_section *s = smt_held_at(v, request, e->object) ? NULL : smt_held_at(v, at, e->object);
    return (s && !(s->shared && e->kind == HD_RDLOCK)) || is_behind(v, request, at);
}

static bool may_join(const struct smt_view *v, const unsigned *q, unsigned n, unsigned i)
{
    const struct hd_event *event = v->m->t->event;
    for (unsigned k = 0; k < n; k++)
        if (event[q[k]].thread == event[i].thread ||
            (smt_takes(&event[q[k]]) && smt_takes(&event[i]) && event[q[k]].object == event[i].object &&
             !(k + 1 == n && is_behind(v, q[k], i)) && !(k == 0 && is_behind(v, i, q[k]))))
            return false;
    return is_request(v, i) && waits_for(v, q[n - 1], i);
}

/* No reader and writer of one lock, but next to each other. */
static bool is_lean(const struct smt_view *v, const unsigned *q, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; n > 2 && j < n; j++)
            if (is_behind(v, q[i], q[j]) && j != (i + 1) % n)
                return false;
    return true;
}

bool smt_waits_for_semaphore(const struct smt_view *v, const struct smt_question *q)
{
    bool any = false;
    for (unsigned i = 0; q->kind == SMT_CYCLE && i < q->events; i++)
        any |= v->m->t->event[q->event[i]].kind == HD_SEM_WAIT;
    return any;
}

/* Cycles of two and three; with a semaphore, of two. */
static void list_cycles(struct smt_candidates *l, const struct smt_view *v, unsigned *q, unsigned n)
{
    if (n > 1 && waits_for(v, q[n - 1], q[0]) && is_lean(v, q, n))
        add(l, SMT_CYCLE, q, n);
    const struct hd_event *event = v->m->t->event;
    for (unsigned i = q[0] + 1; n < 3 && i < v->m->t->events; i++)
        if (may_join(v, q, n, i) && (n < 2 || (event[q[0]].kind != HD_SEM_WAIT && event[q[1]].kind != HD_SEM_WAIT &&
                                               event[i].kind != HD_SEM_WAIT))) {
            q[n] = i;
            list_cycles(l, v, q, n + 1);
        }
}

static void list_ended(struct smt_candidates *l, const struct smt_view *v, unsigned end)
{
    const struct hd_event *event = v->m->t->event;
    for (unsigned i = 0; i < v->m->t->events; i++)
        if (smt_takes(&event[i]) && event[i].thread != event[end].thread && is_request(v, i) && waits_for(v, i, end))
            add(l, SMT_ENDED, (unsigned[]){i, end}, 2);
}

static void list(struct smt_candidates *l, const struct smt_view *v)
{
    for (unsigned i = 0; i < v->m->t->events; i++) {
        const struct hd_event *e = &v->m->t->event[i];
        if (smt_reads(e))
            list_triplets(l, v, i);
        list_pairs(l, v, i);
        if (is_request(v, i))
            list_cycles(l, v, (unsigned[3]){i}, 1);
        if (e->kind == HD_END)
            list_ended(l, v, i);
    }
    if (l->count)
        qsort(l->candidate, l->count, sizeof *l->candidate, compare);
}

/* --------------------------------------------------------------- the account */

static char *account_of(const struct hd_trace *t)
{
    char *text = NULL;
    size_t size = 0;
    struct hd_analyze_options options = {.kinds = HD_KINDS_ALL, .verdicts_only = true, .verify = true,
                                         .account = open_memstream(&text, &size)};
    struct hd_symbols *symbols = hd_symbols_new(t);
    struct hd_analysis *a = hd_analyze(t, symbols, &options);
    fclose(options.account);
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    return text;
}

static enum smt_verdict verdict_of(const char *word)
{
    unsigned verdict = SMT_IMPOSSIBLE;
    while (verdict < SMT_NOT_LISTED && strcmp(word, verdict_word[verdict]))
        verdict++;
    return verdict;
}

/* Deadlocks that wait for a condition, and long ones for a semaphore, are not asked about here. */
static bool is_asked(const struct smt_view *v, const long *p)
{
    for (unsigned i = 0; i < 3 && p[i] >= 0; i++) {
        unsigned kind = v->m->t->event[p[i]].kind;
        if ((kind == HD_SEM_WAIT && p[2] >= 0) || kind == HD_COND_WAIT || kind == HD_COND_WAKE)
            return false;
    }
    return true;
}

static struct smt_candidate *find(const struct smt_candidates *l, const struct smt_question *q)
{
    struct smt_candidate key = {.question = *q};
    return l->count ? bsearch(&key, l->candidate, l->count, sizeof key, compare) : NULL;
}

enum smt_verdict smt_candidates_verdict(const struct smt_candidates *l, const struct smt_question *q)
{
    const struct smt_candidate *c = find(l, q);
    return c ? c->verdict : SMT_NOT_LISTED;
}

/* As a question; false: of another kind. */
static bool question_of(const struct smt_view *v, const char *kind, const long *p, struct smt_candidates *one)
{
    unsigned event[3] = {(unsigned)p[0], (unsigned)p[1], (unsigned)p[2]};
    one->count = 0;
    if (!strcmp(kind, "memory") && p[0] > p[1]) /* recorded */
        return false;
    if (!strcmp(kind, "race") || !strcmp(kind, "memory"))
        add(one, *kind == 'r' ? SMT_RACE : SMT_MEMORY, event, 2);
    else if (!strcmp(kind, "initial"))
        add(one, SMT_INITIAL, event, 1);
    else if (!strcmp(kind, "nondet") || !strcmp(kind, "atomicity"))
        add(one, SMT_TRIPLET, (unsigned[]){event[0], event[2]}, 2);
    else if (!strcmp(kind, "deadlock") && p[1] >= 0 && is_asked(v, p))
        add(one, p[2] < 0 && v->m->t->event[p[1]].kind == HD_END ? SMT_ENDED : SMT_CYCLE, event, p[2] < 0 ? 2 : 3);
    return one->count > 0;
}

/* One of more than three requests names its first three; where these are a cycle, too, a witness of that is meant
 * by neither alone: the line of the shorter comes first. */
static bool enter(struct smt_candidates *l, const struct smt_question *q, enum smt_verdict verdict, const char *stage)
{
    struct smt_candidate *c = find(l, q);
    if (!c || c->verdict != SMT_NOT_LISTED)
        return q->kind == SMT_CYCLE && q->events == 3;
    c->verdict = verdict;
    snprintf(c->stage, sizeof c->stage, "%s", stage);
    return true;
}

static bool read_account(struct smt_candidates *l, const struct smt_view *v, char *text)
{
    struct smt_candidates one = {0};
    bool good = true;
    while (text && *text) {
        char *row = strsep(&text, "\n"), *kind = strsep(&row, "\t");
        long p[3];
        for (int i = 0; i < 3; i++) {
            const char *field = strsep(&row, "\t");
            p[i] = field && *field ? atol(field) : -1;
        }
        enum smt_verdict verdict = verdict_of(strsep(&row, "\t"));
        const char *stage = row ? row : "";
        l->lines++;
        l->open += verdict == SMT_OPEN;
        l->patterns += !strcmp(kind, "deadlock") && (p[1] < 0 || !strcmp(stage, "pattern"));
        if (question_of(v, kind, p, &one) && !enter(l, &one.candidate->question, verdict, stage)) {
            printf("the engine's alone, or twice: ");
            smt_question_print(&one.candidate->question);
            printf(" %s\n", verdict_word[verdict]);
            good = false;
        }
    }
    free(one.candidate);
    return good;
}

bool smt_candidates_make(struct smt_candidates *l, const struct smt_view *v)
{
    *l = (struct smt_candidates){0};
    list(l, v);
    char *text = account_of(v->m->t);
    bool good = read_account(l, v, text);
    free(text);
    for (size_t i = 0; i < l->count; i++) {
        const struct smt_question *q = &l->candidate[i].question;
        if (l->candidate[i].verdict != SMT_NOT_LISTED || (q->kind == SMT_CYCLE && l->patterns) ||
            smt_waits_for_semaphore(v, q))
            continue;
        printf("not in the engine's account: ");
        smt_question_print(q);
        puts("");
        good = false;
    }
    return good;
}

void smt_candidates_free(struct smt_candidates *l)
{
    free(l->candidate);
}
