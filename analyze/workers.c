// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/run.h"
#include "proto/memory.h"

#define OPEN_KEYS_MAX 4096 /* a unit */
/* One candidate after the other takes its share of what is left for searches in the unit: where they are hopeless, as
 * in long runs without locks, the many do not cost more than the few. */
static const uint64_t WORDS_A_UNIT = 16ull << 20, WORDS_OF_ALL = 2ull << 30, WORDS_SHARE = 16;

struct pool {
    struct hd_run *run;
    const struct hd_kind_of_finding *kind;
    struct hd_result *result;
    size_t units, next;
    uint64_t words; /* for the searches of a unit */
    pthread_mutex_t mutex;
    pthread_cond_t finished;
};

struct hd_query hd_candidate_query(const struct hd_candidate *q, bool parked)
{
    struct hd_query query = {.frontier = q->requests ? q->request : &q->r,
                             .frontiers = q->requests ? q->requests : 1,
                             .freed = HD_NO_INDEX,
                             .challenger = HD_NO_INDEX,
                             .include = HD_NO_INDEX,
                             .exclude = HD_NO_INDEX};
    if (q->requests) {
        query.ring = strcmp(q->kind, "deadlock") == 0 && strcmp(q->pattern, "deadlock") == 0;
        query.include = q->c;
        query.also = q->also;
        query.alsos = q->alsos;
        query.stuck = q->stuck;
        query.exclude = q->w;
    } else {
        query.freed = q->r;
        query.challenger = q->c;
    }
    if (parked) {
        query.include = q->before_w;
        query.exclude = q->w;
    }
    return query;
}

static void column(struct hd_worker *w, uint32_t item)
{
    fputc('\t', w->account);
    if (item != HD_NO_INDEX)
        fprintf(w->account, "%u", w->index->item[item].position);
}

/* A wait that has begun is the wait. */
static uint32_t asked(const struct hd_worker *w, uint32_t item)
{
    const struct hd_item *it = &w->index->item[item];
    return it->class == HD_WOKEN && it->partner != HD_NO_INDEX ? it->partner : item;
}

static void account(struct hd_worker *w, const struct hd_candidate *q, const char *verdict, const char *stage)
{
    if (!w->account)
        return;
    fputs(q->column, w->account);
    if (q->requests) {
        for (uint32_t i = 0; i < 3; i++)
            column(w, i < q->requests ? asked(w, q->request[i]) : i == q->requests ? q->c : HD_NO_INDEX);
    } else {
        column(w, q->r);
        column(w, q->w);
        column(w, q->c);
    }
    fprintf(w->account, "\t%s\t%s\n", verdict, stage);
}

void hd_worker_reject_many(struct hd_worker *w, uint64_t count)
{
    w->result->candidates += count;
    w->result->impossible += count;
}

void hd_worker_reject(struct hd_worker *w, const struct hd_candidate *q, const char *stage)
{
    hd_worker_reject_many(w, 1);
    account(w, q, "impossible", stage);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Where the place is unknown, every event is one of its own. */
static uint64_t mix_place(const struct hd_worker *w, uint64_t h, uint32_t item)
{
    if (item == HD_NO_INDEX)
        return mix(h, 1);
    const struct hd_item *it = &w->index->item[item];
    uint32_t site = w->trace->event[it->position].site;
    return site == HD_NO_INDEX ? mix(h, (uint64_t)item << 32 | 1) : mix(h, site + 2);
}

static uint64_t key_of(const struct hd_worker *w, const struct hd_candidate *q)
{
    uint64_t h = 0;
    for (const char *s = q->kind; *s; s++)
        h = mix(h, (unsigned char)*s);
    for (const char *s = q->pattern; *s; s++)
        h = mix(h, (unsigned char)*s);
    for (uint32_t i = 0; i < q->requests; i++)
        h = mix_place(w, h, q->request[i]);
    if (q->requests)
        return mix_place(w, h, q->c) | 1;
    return mix_place(w, mix_place(w, mix_place(w, h, q->r), q->w), q->c) | 1;
}

static bool has_key(const struct hd_worker *w, uint64_t key)
{
    size_t at = (key >> 7) & (w->seen_size - 1);
    while (w->seen[at] && w->seen[at] != key)
        at = (at + 1) & (w->seen_size - 1);
    return w->seen[at] == key;
}

bool hd_worker_new_key(struct hd_worker *w, uint64_t key)
{
    if (2 * w->seen_count >= w->seen_size) {
        uint64_t *old = w->seen;
        size_t size = w->seen_size;
        w->seen_size = size ? size * 2 : 64;
        w->seen = hd_alloc(w->seen_size * sizeof *w->seen);
        w->seen_count = 0;
        for (size_t i = 0; i < size; i++)
            if (old[i])
                hd_worker_new_key(w, old[i]);
        free(old);
    }
    size_t at = (key >> 7) & (w->seen_size - 1);
    while (w->seen[at] && w->seen[at] != key)
        at = (at + 1) & (w->seen_size - 1);
    if (w->seen[at])
        return false;
    w->seen[at] = key;
    w->seen_count++;
    return true;
}

static void keep(struct hd_worker *w, const struct hd_candidate *q)
{
    struct hd_result *r = w->result;
    uint64_t key = key_of(w, q);
    if (!w->options->all && !hd_worker_new_key(w, key))
        return;
    HD_GROW(r->found, r->founds, r->found_room);
    struct hd_found *f = &r->found[r->founds++];
    *f = (struct hd_found){*q, key, 0, 0};
    if (q->requests) {
        uint32_t *copy = hd_realloc(NULL, q->requests + q->alsos, sizeof *copy);
        memcpy(copy, q->request, q->requests * sizeof *copy);
        if (q->alsos)
            memcpy(copy + q->requests, q->also, q->alsos * sizeof *copy);
        f->candidate.request = copy;
        f->candidate.also = copy + q->requests;
    }
}

static bool is_expected(const struct hd_worker *w, const struct hd_candidate *q)
{
    return w->expected && strcmp(q->kind, "race") == 0 &&
           hd_expected_race(w->expected, w->index->item[q->request[0]].position,
                            w->index->item[q->request[1]].position);
}

void hd_worker_accept(struct hd_worker *w, const struct hd_candidate *q, const char *stage)
{
    w->result->candidates++;
    w->result->feasible++;
    account(w, q, "witness", stage);
    if (is_expected(w, q))
        w->result->expected++;
    else
        keep(w, q);
}

/* Why the trace's own order cannot have happened, or NULL: then nothing of it can be judged, and that is the file's
 * fault. */
static char *contradiction_of(const struct hd_trace *t, struct hd_checker *checker)
{
    uint64_t *order = hd_alloc((t->events + 1) * sizeof *order);
    for (size_t i = 0; i < t->events; i++)
        order[i] = i;
    const char *wrong = hd_checker_run(checker, order, t->events, UINT64_MAX);
    free(order);
    return wrong ? hd_strdup(wrong) : NULL;
}

/* Everything before the read, which is next then, and would see its challenger. */
static const char *check_read(const struct hd_candidate *q, const struct hd_index *x, struct hd_checker *checker,
                              const struct hd_answer *answer)
{
    const char *wrong = answer->count ? hd_checker_run(checker, answer->order, answer->count - 1, UINT64_MAX) : "no order";
    uint64_t r = x->item[q->r].position, wanted = q->c == HD_NO_INDEX ? 0 : 1 + (uint64_t)x->item[q->c].position;
    if (wrong || answer->order[answer->count - 1] != r || !hd_checker_next(checker, r))
        return wrong ? wrong : "the read is not next";
    for (unsigned k = 0; k < x->trace->event[r].size; k++) {
        uint64_t recorded, writer = hd_checker_writer(checker, r, k, &recorded);
        if (writer == wanted && writer != recorded)
            return NULL;
    }
    return "the read does not see its challenger";
}

bool hd_candidate_check(const struct hd_candidate *q, const struct hd_index *x, struct hd_checker *checker,
                        const struct hd_answer *answer, char **contradiction)
{
    const char *wrong = answer->decision != HD_WITNESS ? "it was not found again"
                        : q->requests ? hd_checker_run(checker, answer->order, answer->count, UINT64_MAX)
                                      : check_read(q, x, checker, answer);
    if (!wrong)
        return true;
    if (*contradiction)
        return false;
    char *words = hd_strdup(wrong); /* the checker's own are gone with the next run */
    if (!(*contradiction = contradiction_of(x->trace, checker))) {
        fprintf(stderr, "heddle: internal error: the checker refuses a %s witness (%s): %s\n", q->kind, answer->stage,
                words);
        abort();
    }
    free(words);
    return false;
}

static bool verify(struct hd_worker *w, const struct hd_candidate *q, const struct hd_answer *answer)
{
    if (!w->checker)
        w->checker = hd_checker_new(w->trace, w->options->strict_writers);
    return hd_candidate_check(q, w->index, w->checker, answer, &w->result->contradiction);
}

void hd_worker_leave_open(struct hd_worker *w, const struct hd_candidate *q, const char *stage)
{
    w->result->candidates++;
    w->result->open++;
    account(w, q, "open", stage);
    if (w->result->open_keys == OPEN_KEYS_MAX)
        return;
    HD_GROW(w->result->open_key, w->result->open_keys, w->result->open_key_room);
    w->result->open_key[w->result->open_keys++] = hd_candidate_key(w->trace, w->index, q);
}

static enum hd_decision decide(struct hd_worker *w, const struct hd_candidate *q, const char **stage)
{
    struct hd_query query = hd_candidate_query(q, false);
    struct hd_answer answer;
    *stage = "stopped";
    if (w->options->stop && *w->options->stop)
        return HD_OPEN;
    query.budget = w->options->state_budget;
    query.words = w->words_left / WORDS_SHARE + 1;
    query.stop = w->options->stop;
    if (w->options->plain)
        hd_feas_plainly(w->solver);
    hd_feas(w->solver, &query, w->options->verify ? HD_ORDER : HD_VERDICT, &answer);
    if (answer.decision == HD_WITNESS && w->options->verify && !verify(w, q, &answer)) {
        answer.decision = HD_OPEN;
        answer.stage = "contradiction";
    }
    w->words_left -= answer.words < w->words_left ? answer.words : w->words_left;
    free(answer.order);
    *stage = answer.stage;
    return answer.decision;
}

enum hd_decision hd_worker_try(struct hd_worker *w, const struct hd_candidate *q)
{
    const char *stage;
    return decide(w, q, &stage);
}

void hd_worker_ask(struct hd_worker *w, const struct hd_candidate *q)
{
    const char *stage;
    if (w->options->once && has_key(w, key_of(w, q))) {
        w->result->candidates++;
        w->result->repeated++;
        return;
    }
    switch (decide(w, q, &stage)) {
    case HD_IMPOSSIBLE: hd_worker_reject(w, q, stage); break;
    case HD_OPEN: hd_worker_leave_open(w, q, stage); break;
    case HD_WITNESS: hd_worker_accept(w, q, stage); break;
    }
}

static bool stopped(const struct hd_run *run)
{
    return run->options->stop && *run->options->stop;
}

static void do_unit(struct hd_worker *w, const struct pool *p, size_t i)
{
    struct hd_result *r = &p->result[i];
    w->result = r;
    w->account = p->run->options->account ? open_memstream(&r->account, &r->account_size) : NULL;
    if (!w->keeps_keys) {
        memset(w->seen, 0, w->seen_size * sizeof *w->seen);
        w->seen_count = 0;
    }
    w->words_left = p->words;
    hd_feas_forget(w->solver);
    p->kind->unit(w, i);
    if (w->account)
        fclose(w->account);
}

static void start_worker(struct hd_worker *w, const struct hd_run *run)
{
    *w = (struct hd_worker){.trace = run->trace, .index = run->index, .options = run->options,
                            .expected = run->expected};
    w->solver = hd_solver_new(run->index);
    w->seen_size = 64;
    w->seen = hd_alloc(w->seen_size * sizeof *w->seen);
}

static void end_worker(struct hd_worker *w)
{
    hd_solver_free(w->solver);
    hd_checker_free(w->checker);
    free(w->seen);
}

static void *work(void *arg)
{
    struct pool *p = arg;
    struct hd_worker w;
    start_worker(&w, p->run);
    pthread_mutex_lock(&p->mutex);
    while (p->next < p->units && !stopped(p->run)) {
        size_t i = p->next++;
        pthread_mutex_unlock(&p->mutex);
        do_unit(&w, p, i);
        pthread_mutex_lock(&p->mutex);
        p->result[i].done = true;
        pthread_cond_broadcast(&p->finished);
    }
    p->units = stopped(p->run) ? p->next : p->units;
    pthread_cond_broadcast(&p->finished);
    pthread_mutex_unlock(&p->mutex);
    end_worker(&w);
    return NULL;
}

static void finish(struct pool *p, size_t i, size_t all, void (*merge)(struct hd_run *, struct hd_result *))
{
    struct hd_result *r = &p->result[i];
    merge(p->run, r);
    for (size_t f = 0; f < r->founds; f++)
        free((void *)r->found[f].candidate.request);
    free(r->found);
    free(r->open_key);
    free(r->account);
    r->found = NULL;
    if (p->run->options->progress)
        p->run->options->progress(p->kind->name, i + 1, all);
}

static void run_alone(struct pool *p, void (*merge)(struct hd_run *, struct hd_result *))
{
    struct hd_worker w;
    start_worker(&w, p->run);
    w.keeps_keys = p->run->options->once;
    for (size_t i = 0; i < p->units && !stopped(p->run); i++) {
        do_unit(&w, p, i);
        finish(p, i, p->units, merge);
    }
    end_worker(&w);
}

static void run_together(struct pool *p, unsigned jobs, void (*merge)(struct hd_run *, struct hd_result *))
{
    pthread_t thread[jobs];
    unsigned started = 0;
    size_t all = p->units;
    while (started < jobs && pthread_create(&thread[started], NULL, work, p) == 0)
        started++;
    if (!started) {
        run_alone(p, merge);
        return;
    }
    pthread_mutex_lock(&p->mutex);
    for (size_t i = 0; i < p->units; i++) {
        while (!p->result[i].done && i < p->units)
            pthread_cond_wait(&p->finished, &p->mutex);
        if (!p->result[i].done)
            break;
        pthread_mutex_unlock(&p->mutex);
        finish(p, i, all, merge);
        pthread_mutex_lock(&p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

void hd_workers_run(struct hd_run *run, const struct hd_kind_of_finding *kind,
                    void (*merge)(struct hd_run *, struct hd_result *))
{
    struct pool p = {.run = run, .kind = kind, .units = kind->units(run->index)};
    p.words = p.units && WORDS_OF_ALL / p.units < WORDS_A_UNIT ? WORDS_OF_ALL / p.units : WORDS_A_UNIT;
    p.result = hd_alloc((p.units + 1) * sizeof *p.result);
    pthread_mutex_init(&p.mutex, NULL);
    pthread_cond_init(&p.finished, NULL);
    if (run->options->jobs > 1 && p.units > 1)
        run_together(&p, run->options->jobs > 64 ? 64 : run->options->jobs, merge);
    else
        run_alone(&p, merge);
    pthread_mutex_destroy(&p.mutex);
    pthread_cond_destroy(&p.finished);
    free(p.result);
}
