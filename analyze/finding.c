// SPDX-License-Identifier: Apache-2.0
// A finding in words.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/requests.h"
#include "analyze/witness.h"
#include "proto/memory.h"
#include "symbols/ending.h"

static const struct hd_event *event_of(const struct hd_run *run, uint32_t item)
{
    return &run->trace->event[run->index->item[item].position];
}

static const char *path_of(const struct hd_run *run, uint32_t item)
{
    const char *path = run->trace->thread[event_of(run, item)->thread].path;
    return path ? path : "?";
}

static const struct hd_place *place_of(const struct hd_run *run, uint32_t item)
{
    uint32_t site = event_of(run, item)->site;
    return site < run->trace->sites ? hd_symbols_place(run->symbols, site) : NULL;
}

static const char *function_of(const struct hd_run *run, uint32_t item)
{
    if (item == HD_NO_INDEX)
        return "initial";
    const struct hd_place *p = place_of(run, item);
    return p ? p->function : "?";
}

/* " (bank.c:31)", or nothing. */
static char *where(const struct hd_run *run, uint32_t item)
{
    const struct hd_place *p = place_of(run, item);
    return p && *p->file ? hd_format(" (%s:%" PRIu32 ")", p->file, p->line) : hd_strdup("");
}

/* Line numbers (":12") and addresses (0x7f...) have no place in an id. */
static void strip_places(char *s)
{
    char *to = s, *from = s;
    while (*from) {
        bool line = *from == ':' && isdigit((unsigned char)from[1]);
        bool address = from[0] == '0' && from[1] == 'x' && (from == s || from[-1] == ':');
        if (!line && !address) {
            *to++ = *from++;
            continue;
        }
        if (address)
            *to++ = '?';
        for (from += line ? 1 : 2; line ? isdigit((unsigned char)*from) : isxdigit((unsigned char)*from);)
            from++;
    }
    *to = 0;
}

static uint64_t written(const struct hd_event *e)
{
    return e->kind == HD_ATOMIC_RMW ? e->second : e->value;
}

/* Bytes of the read that the challenger covers are the challenger's; the rest stay. */
static uint64_t value_seen(const struct hd_run *run, const struct hd_candidate *q)
{
    const struct hd_event *r = event_of(run, q->r), *c = event_of(run, q->c);
    uint64_t v = r->value;
    for (unsigned k = 0; k < r->size && k < 8; k++) {
        uint64_t at = r->address + k - c->address;
        if (at < c->size && at < 8) {
            v &= ~((uint64_t)0xff << (8 * k));
            v |= (written(c) >> (8 * at) & 0xff) << (8 * k);
        }
    }
    return v;
}

static char *triplet_sentence(struct hd_run *run, const struct hd_candidate *q, const char *variable)
{
    char *at = where(run, q->r), *sees = NULL, *text;
    bool values = run->trace->has_values;
    sees = values && q->c != HD_NO_INDEX ? hd_format(" = %" PRIu64, value_seen(run, q)) : hd_strdup("");
    if (q->w != HD_NO_INDEX && (q->c == HD_NO_INDEX || q->c < q->w) && values)
        text = hd_format("%s reads `%s`%s before %s writes %" PRIu64 "%s", path_of(run, q->r), variable, sees,
                         path_of(run, q->w), written(event_of(run, q->w)), at);
    else if (q->c == HD_NO_INDEX || (q->w != HD_NO_INDEX && q->c < q->w))
        text = hd_format("%s reads `%s`%s before %s writes it%s", path_of(run, q->r), variable, sees,
                         path_of(run, q->w), at);
    else
        text = hd_format("%s reads `%s`%s after %s writes it%s", path_of(run, q->r), variable, sees,
                         path_of(run, q->c), at);
    free(at);
    free(sees);
    return text;
}

static void append(char **text, const char *more)
{
    char *longer = hd_format("%s%s", *text, more);
    free(*text);
    *text = longer;
}

static void describe_triplet(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    f->variable = hd_strdup(hd_symbols_datum(run->symbols, run->index->item[q->r].position));
    f->title = hd_format("%s %s `%s`", q->pattern, q->preposition, f->variable);
    f->sentence = triplet_sentence(run, q, f->variable);
    f->id = hd_format("%s:%s:%s:%s:%s", q->kind, function_of(run, q->r), function_of(run, q->w),
                      function_of(run, q->c), f->variable);
}

static const char *object_name(const struct hd_run *run, uint32_t item)
{
    const struct hd_index *x = run->index;
    uint32_t object = event_of(run, item)->object;
    if (object >= x->objects && x->item[item].held != HD_NO_INDEX)
        object = x->held[x->item[item].held].lock;
    return object < x->objects ? hd_symbols_object(run->symbols, object) : "?";
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Wherever one begins to look, it is the same cycle. */
static char *cycle_id(struct hd_run *run, const struct hd_candidate *q)
{
    char **part = hd_alloc((q->requests + 1) * sizeof *part), *id = hd_strdup(q->kind);
    for (uint32_t i = 0; i < q->requests; i++)
        part[i] = hd_format(":%s:%s", function_of(run, q->request[i]),
                            event_of(run, q->request[i])->kind == HD_JOIN
                                ? "join"
                                : hd_symbols_object(run->symbols, event_of(run, q->request[i])->object));
    qsort(part, q->requests, sizeof *part, compare_texts);
    for (uint32_t i = 0; i < q->requests; i++) {
        append(&id, part[i]);
        free(part[i]);
    }
    free(part);
    return id;
}

/* "`m`", "a join of 0.1": what a request is for. */
static char *wanted(const struct hd_run *run, uint32_t request)
{
    const struct hd_event *e = event_of(run, request);
    if (e->kind != HD_JOIN)
        return hd_format("`%s`", hd_symbols_object(run->symbols, e->object));
    return hd_format("a join of %s", e->value < run->trace->threads ? run->trace->thread[e->value].path : "?");
}

/* "holds `m`", "has still to post `s`", "": why the request before this one waits for its thread. */
static char *owed(const struct hd_run *run, uint32_t before, uint32_t request)
{
    const struct hd_event *e = event_of(run, before);
    if (hd_request_is_behind(run->index, &run->index->item[before], &run->index->item[request]))
        return hd_strdup("");
    const char *verb = e->kind == HD_SEM_WAIT ? "has still to post" : e->kind == HD_COND_WAKE ? "has still to signal"
                       : e->kind == HD_ONCE_PASS ? "initialises" : "holds";
    if (e->kind == HD_JOIN)
        return hd_strdup("");
    return hd_format(" %s `%s` and", verb, hd_symbols_object(run->symbols, e->object));
}

static const char *waits(const struct hd_run *run, uint32_t request)
{
    unsigned kind = event_of(run, request)->kind;
    return kind == HD_COND_WAKE ? "waits for" : kind == HD_SEM_WAIT ? "waits for semaphore"
           : kind == HD_JOIN    ? "waits in"  : kind == HD_ONCE_PASS ? "waits for" : "requests";
}

/* "deadlock between `a`, `b` and a join of 0.1": each once. */
static char *cycle_title(const struct hd_run *run, const struct hd_candidate *q)
{
    char **name = hd_alloc((q->requests + 1) * sizeof *name), *title = hd_strdup("");
    uint32_t names = 0;
    for (uint32_t i = 0; i < q->requests; i++) {
        uint32_t known = 0;
        name[names] = wanted(run, q->request[i]);
        while (strcmp(name[known], name[names]) != 0)
            known++;
        if (known == names)
            names++;
        else
            free(name[names]);
    }
    for (uint32_t i = 0; i < names; i++) {
        append(&title, !i ? names > 1 ? "deadlock between " : "deadlock on " : i + 1 == names ? " and " : ", ");
        append(&title, name[i]);
        free(name[i]);
    }
    free(name);
    append(&title, strstr(q->pattern, "writer") ? " behind a waiting writer" : "");
    return title;
}

/* " behind 0.3": why a reader waits although nobody writes. */
static char *behind(const struct hd_run *run, uint32_t request, uint32_t next)
{
    const struct hd_item *item = run->index->item;
    bool waits = hd_request_is_behind(run->index, &item[request], &item[next]);
    return waits ? hd_format(" behind %s", path_of(run, next)) : hd_strdup("");
}

static void describe_cycle(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    f->title = cycle_title(run, q);
    f->sentence = hd_strdup("");
    f->id = cycle_id(run, q);
    for (uint32_t i = 0; i < q->requests; i++) {
        uint32_t before = q->request[(i + q->requests - 1) % q->requests], request = q->request[i];
        char *why = owed(run, before, request), *at = where(run, request), *wants = wanted(run, request);
        char *after = behind(run, request, q->request[(i + 1) % q->requests]);
        char *part = hd_format("%s%s%s %s %s%s%s", i ? ", " : "", path_of(run, request), why, waits(run, request),
                               wants, after, at);
        append(&f->sentence, part);
        free(why);
        free(at);
        free(wants);
        free(after);
        free(part);
    }
    f->variable = hd_strdup(object_name(run, q->request[0]));
}

/* One thread waits for a lock that another has kept to its end. */
static void describe_ended(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    char *at = where(run, q->request[0]);
    f->variable = hd_strdup(object_name(run, q->request[0]));
    f->title = hd_format("deadlock on `%s`, never released", f->variable);
    f->sentence = hd_format("%s requests `%s`%s after %s has ended holding it", path_of(run, q->request[0]),
                            f->variable, at, path_of(run, q->c));
    f->id = hd_format("deadlock:ended:%s:%s:%s", function_of(run, q->request[0]), function_of(run, q->c),
                      f->variable);
    free(at);
}

static const char *verb(const struct hd_run *run, uint32_t item)
{
    const struct hd_item *it = &run->index->item[item];
    return it->class == HD_FREES ? "frees" : it->writes ? "writes" : it->reads ? "reads" : "uses";
}

static void describe_race(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    uint32_t a = q->request[0], b = q->request[1];
    char *at = where(run, a), *other = where(run, b);
    f->variable = hd_strdup(hd_symbols_datum(run->symbols, run->index->item[a].position));
    f->title = hd_format("data race on `%s`", f->variable);
    f->sentence = hd_format("%s %s `%s`%s while %s %s it%s", path_of(run, a), verb(run, a), f->variable, at,
                            path_of(run, b), verb(run, b), other);
    f->id = hd_format("race:%s:%s:%s", function_of(run, a), function_of(run, b), f->variable);
    free(at);
    free(other);
}

static void describe_lifetime(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    uint32_t a = q->request[0];
    char *at = where(run, a), *other = where(run, q->c);
    f->variable = hd_strdup(event_of(run, a)->object < run->index->objects
                                ? object_name(run, a)
                                : hd_symbols_datum(run->symbols, run->index->item[a].position));
    f->title = hd_format("%s of `%s`", q->pattern, f->variable);
    f->sentence = hd_format("%s %s `%s`%s after %s frees it%s", path_of(run, a), verb(run, a), f->variable, at,
                            path_of(run, q->c), other);
    f->id = hd_format("memory:%s:%s:%s", function_of(run, a), function_of(run, q->c), f->variable);
    free(at);
    free(other);
}

static void describe_wakeup(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    char *at = where(run, q->request[0]), *other = where(run, q->c);
    f->variable = hd_strdup(object_name(run, q->request[0]));
    f->title = hd_format("lost wakeup of `%s`", f->variable);
    f->sentence = hd_format("%s signals `%s`%s before %s waits for it%s, and nobody does later", path_of(run, q->c),
                            f->variable, other, path_of(run, q->request[0]), at);
    f->id = hd_format("wakeup:%s:%s:%s", function_of(run, q->request[0]), function_of(run, q->c), f->variable);
    free(at);
    free(other);
}

/* The place at which a thread of the recording waits in the end, or nothing. */
static char *waits_at(const struct hd_run *run, uint32_t thread)
{
    for (size_t i = run->trace->events; i-- > 0;) {
        const struct hd_event *e = &run->trace->event[i];
        if (e->thread != thread || e->kind != HD_BLOCKED)
            continue;
        const struct hd_place *p = hd_symbols_place(run->symbols, e->site);
        return *p->file ? hd_format(" (%s:%" PRIu32 ")", p->file, p->line) : hd_strdup("");
    }
    return hd_strdup("");
}

static char *misuse_sentence(const struct hd_run *run, const struct hd_candidate *q, const char *lock)
{
    uint32_t item = q->request[0], other = q->c != HD_NO_INDEX ? q->c : q->requests > 1 ? q->request[1] : item;
    const char *who = path_of(run, item);
    char *at = where(run, item), *there = where(run, other), *text;
    if (strcmp(q->pattern, "self-deadlock") == 0) {
        char *again = waits_at(run, event_of(run, item)->thread);
        text = hd_format("%s requests `%s`%s, which it holds%s", who, lock, again, at);
        free(again);
    } else if (q->requests > 1)
        text = hd_format("%s destroys `%s`%s while %s holds it%s", who, lock, at, path_of(run, other), there);
    else if (q->c != HD_NO_INDEX)
        text = hd_format("%s uses `%s`%s after %s has destroyed it%s", who, lock, at, path_of(run, other), there);
    else if (event_of(run, item)->kind == HD_END)
        text = hd_format("%s ends holding `%s`%s", who, lock, at);
    else if (event_of(run, item)->kind == HD_DESTROY)
        text = hd_format("%s destroys `%s`%s, which is held", who, lock, at);
    else
        text = hd_format("%s releases `%s`%s, which it does not hold", who, lock, at);
    free(at);
    free(there);
    return text;
}

static void describe_misuse(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    f->variable = hd_strdup(object_name(run, q->request[0]));
    const char *of = strcmp(q->pattern, "self-deadlock") == 0 ? " on" : strstr(q->pattern, "holding") ? "" : " of";
    f->title = hd_format("%s%s `%s`", q->pattern, of, f->variable);
    f->sentence = misuse_sentence(run, q, f->variable);
    f->id = hd_format("misuse:%s:%s:%s", q->pattern, function_of(run, q->request[0]), f->variable);
}

static void describe_contended(struct hd_run *run, const struct hd_candidate *q, Heddle__Finding *f)
{
    uint32_t event = q->request[0];
    char *at = where(run, event), *other = where(run, q->c);
    bool forks = run->trace->event[run->index->item[event].position].kind == HD_FORK;
    f->variable = hd_strdup(object_name(run, q->c));
    f->title = hd_format(forks ? "fork while `%s` is held" : "failed try of `%s`", f->variable);
    f->sentence = hd_format("%s %s `%s`%s while %s has it%s", path_of(run, event), forks ? "forks under" : "tries",
                            f->variable, at, path_of(run, q->c), other);
    f->id = hd_format("contended:%s:%s:%s", function_of(run, event), function_of(run, q->c), f->variable);
    free(at);
    free(other);
}

typedef void describer(struct hd_run *, const struct hd_candidate *, Heddle__Finding *);

static describer *describer_of(const struct hd_candidate *q)
{
    static const struct { const char *kind; describer *describe; } kinds[] = {
        {"race", describe_race}, {"memory", describe_lifetime}, {"wakeup", describe_wakeup},
        {"misuse", describe_misuse}, {"contended", describe_contended}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(q->kind, kinds[i].kind) == 0)
            return kinds[i].describe;
    if (!q->requests)
        return describe_triplet;
    return q->c != HD_NO_INDEX ? describe_ended : describe_cycle;
}

Heddle__Finding *hd_finding_new(struct hd_run *run, const struct hd_candidate *q)
{
    Heddle__Finding *f = hd_alloc(sizeof *f);
    heddle__finding__init(f);
    f->kind = hd_strdup(q->kind);
    f->pattern = hd_strdup(q->pattern);
    describer_of(q)(run, q, f);
    strip_places(f->id);
    return f;
}

Heddle__Finding *hd_finding_of_run(const struct hd_trace *t, const char *kind, const char *title)
{
    Heddle__Finding *f = hd_alloc(sizeof *f);
    heddle__finding__init(f);
    f->kind = hd_strdup(kind);
    f->pattern = hd_strdup(title);
    f->sentence = hd_ending_words(t);
    f->title = hd_format("%s: %s", title, f->sentence);
    f->variable = hd_strdup("");
    f->id = hd_format("%s:%s:%s:%s", kind, t->suite, t->test, f->sentence);
    strip_places(f->id);
    return f;
}
