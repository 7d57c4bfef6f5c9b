/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "proto/memory.h"
#include "replay/verdict.h"
#include "symbols/symbols.h"

#define EXACT_MAX (1ull << 53)

static void put(const json_t *object)
{
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
}

/* JSON is UTF-8; a name from a program or a file need not be. */
static json_t *text(const char *s)
{
    json_t *string = json_string(s);
    if (string)
        return string;
    char *copy = hd_strdup(s);
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    string = json_string(copy);
    free(copy);
    return string;
}

static void add(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void add_text(json_t *object, const char *key, const char *s)
{
    if (s && *s)
        add(object, key, text(s));
}

static json_t *number(uint64_t value)
{
    char digits[24];
    if (value <= EXACT_MAX)
        return json_integer((json_int_t)value);
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return json_string(digits);
}

/* ------------------------------------------------------------- traces */

static void add_place(json_t *o, const struct hd_place *place)
{
    if (strcmp(place->function, "?") != 0)
        add_text(o, "function", place->function);
    add_text(o, "file", place->file);
    if (place->has_line)
        add(o, "line", json_integer(place->line));
}

static bool names_thread(unsigned kind)
{
    return kind == HD_CREATE || kind == HD_JOIN || kind == HD_JOIN_FAIL || kind == HD_DETACH || kind == HD_CANCEL;
}

static void add_memory(json_t *o, const struct hd_trace *t, struct hd_symbols *symbols, size_t position)
{
    const struct hd_event *e = &t->event[position];
    char address[24];
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)e->address);
    add(o, "datum", text(hd_symbols_datum(symbols, position)));
    add(o, "address", json_string(address));
    if (e->size)
        add(o, "size", json_integer(e->size));
    bool unknown = t->last_unknown && position + 1 == t->events;
    if (!t->has_values || unknown || e->kind == HD_FREE)
        return;
    add(o, e->kind == HD_ALLOC || e->kind == HD_EXPECT_RACE ? "bytes" : "value", number(e->value));
    if (e->kind == HD_ATOMIC_RMW)
        add(o, "second", number(e->second));
}

static void add_meaning(json_t *o, const struct hd_trace *t, struct hd_symbols *symbols, const struct hd_event *e)
{
    if (names_thread(e->kind)) {
        if (e->value < t->threads)
            add(o, "other", text(t->thread[e->value].path));
        return;
    }
    switch (e->kind) {
    case HD_BLOCKED:
    case HD_LOCK_TIMEOUT: add(o, "wanted", text(hd_kind_word((unsigned)e->value))); break;
    case HD_COND_WAIT:
        if (e->value)
            add(o, "releases", text(hd_symbols_object(symbols, (uint32_t)(e->value - 1))));
        break;
    case HD_COND_WAKE: add(o, "signalled", json_boolean(e->value != 0)); break;
    case HD_ASSERT: add(o, "held", json_boolean(e->value != 0)); break;
    case HD_SLEEP: add(o, "nanoseconds", number(e->value)); break;
    case HD_BARRIER_ENTER:
    case HD_BARRIER_EXIT: add(o, "generation", number(e->value)); break;
    case HD_SEM_WAIT:
        if (e->value)
            add(o, "count", number(e->value - 1));
        break;
    case HD_FENCE: add(o, "order", number(e->value)); break;
    case HD_HANDLER: add(o, "signal", number(e->value)); break;
    default: break;
    }
}

static void add_notes(json_t *o, const struct hd_trace *t, size_t position, size_t *next)
{
    json_t *notes = NULL;
    for (; *next < t->notes && t->note[*next].position <= position; ++*next) {
        const struct hd_note *note = &t->note[*next];
        if (note->position != position)
            continue;
        json_t *one = json_object();
        add(one, "text", text(note->text));
        add_text(one, "file", note->file);
        if (note->line)
            add(one, "line", json_integer(note->line));
        add(one, "failed", json_boolean(note->failed));
        if (!notes)
            notes = json_array();
        json_array_append_new(notes, one);
    }
    if (notes)
        add(o, "notes", notes);
}

void hd_json_trace(const struct hd_trace *t)
{
    struct hd_symbols *symbols = hd_symbols_new(t);
    size_t next_note = 0;
    for (size_t i = 0; i < t->events && !ferror(stdout); i++) {
        const struct hd_event *e = &t->event[i];
        json_t *o = json_object();
        add(o, "position", number(i));
        add(o, "thread", text(t->thread[e->thread].path));
        add_text(o, "name", t->thread[e->thread].name);
        add(o, "kind", text(hd_kind_word(e->kind)));
        add(o, "n", json_integer(e->n));
        if (hd_kind_is_access(e->kind))
            add(o, "k", json_integer(e->k));
        if (e->object != HD_NO_INDEX)
            add(o, "object", text(hd_symbols_object(symbols, e->object)));
        if (hd_kind_is_access(e->kind) || e->kind == HD_UNSEEN_WRITE || e->kind == HD_EXPECT_RACE ||
            hd_kind_is_atomic(e->kind))
            add_memory(o, t, symbols, i);
        add_meaning(o, t, symbols, e);
        add_place(o, hd_symbols_place(symbols, e->site));
        add_notes(o, t, i, &next_note);
        put(o);
        json_decref(o);
    }
    hd_symbols_free(symbols);
}

void hd_json_stats(const struct hd_trace *t, size_t bytes)
{
    size_t count[HD_KIND_COUNT] = {0};
    json_t *o = json_object(), *kinds = json_object();
    for (size_t i = 0; i < t->events; i++)
        count[t->event[i].kind]++;
    for (unsigned kind = 0; kind < HD_KIND_COUNT; kind++)
        if (count[kind])
            add(kinds, hd_kind_word(kind), number(count[kind]));
    add_text(o, "program", t->program);
    add_text(o, "suite", t->suite);
    add_text(o, "test", t->test);
    add(o, "events", number(t->events));
    add(o, "cut", json_boolean(t->truncated));
    add(o, "bytes", number(bytes));
    if (t->events)
        add(o, "bytes_per_event", json_real((double)bytes / (double)t->events));
    add(o, "threads", number(t->threads));
    add(o, "objects", number(t->objects));
    add(o, "notes", number(t->notes));
    add(o, "outcome", text(hd_outcome_word(t->outcome)));
    add(o, "detail", json_integer(t->detail));
    add_text(o, "text", t->outcome_text);
    add(o, "kinds", kinds);
    put(o);
    json_decref(o);
}

/* ---------------------------------------------------------- witnesses */

static json_t *anchor(const Heddle__Witness *w, uint32_t index)
{
    const Heddle__Anchor *a = w->anchor[index - 1];
    json_t *o = json_object();
    add_text(o, "function", a->function);
    add_text(o, "file", a->file);
    if (a->line)
        add(o, "line", json_integer(a->line));
    add_text(o, "module", a->module);
    add(o, "offset", number(a->offset));
    return o;
}

static json_t *step(const Heddle__Witness *w, const Heddle__Step *s)
{
    json_t *o = json_object();
    add(o, "kind", text(hd_kind_word(s->kind)));
    add(o, "n", json_integer(s->n));
    if (hd_kind_is_access(s->kind))
        add(o, "k", json_integer(s->k));
    if (s->object)
        add(o, "object", text(w->object[s->object - 1]));
    add_text(o, "datum", s->datum);
    if (s->size)
        add(o, "size", json_integer(s->size));
    if (s->nth)
        add(o, "nth", json_integer(s->nth));
    if (s->anchor)
        add(o, "place", anchor(w, s->anchor));
    return o;
}

static json_t *role(const Heddle__Witness *w, const Heddle__Role *r)
{
    json_t *o = json_object(), *stack = json_array(), *held = json_array();
    for (size_t i = 0; i < r->n_stack; i++)
        json_array_append_new(stack, anchor(w, r->stack[i]));
    for (size_t i = 0; i < r->n_held; i++)
        json_array_append_new(held, text(w->object[r->held[i] - 1]));
    add(o, "name", text(r->name));
    add(o, "thread", text(w->thread[r->thread]));
    add(o, "at", step(w, r->at));
    add(o, "position", number(r->position));
    if (r->has_value)
        add(o, "value", number(r->value));
    add(o, "stack", stack);
    add(o, "held", held);
    return o;
}

static json_t *finding(const Heddle__Witness *w)
{
    const Heddle__Finding *f = w->finding;
    json_t *o = json_object(), *roles = json_array();
    add(o, "kind", text(f->kind));
    add(o, "id", text(f->id));
    add(o, "title", text(f->title));
    add(o, "sentence", text(f->sentence));
    add_text(o, "variable", f->variable);
    add_text(o, "pattern", f->pattern);
    for (size_t i = 0; i < f->n_role; i++)
        json_array_append_new(roles, role(w, f->role[i]));
    add(o, "roles", roles);
    return o;
}

static json_t *slice(const Heddle__Witness *w, const Heddle__Slice *s)
{
    json_t *o = json_object(), *steps = json_array();
    add(o, "thread", text(w->thread[s->thread]));
    for (size_t i = 0; i < s->n_step; i++)
        json_array_append_new(steps, step(w, s->step[i]));
    add(o, "steps", steps);
    if (s->stop)
        add(o, "stop", step(w, s->stop));
    return o;
}

void hd_json_witness(const Heddle__Witness *w)
{
    json_t *o = json_object(), *threads = json_array(), *slices = json_array();
    for (size_t i = 0; i < w->n_thread; i++)
        json_array_append_new(threads, text(w->thread[i]));
    for (size_t i = 0; i < w->n_slice; i++)
        json_array_append_new(slices, slice(w, w->slice[i]));
    add_text(o, "program", w->header->program);
    add_text(o, "suite", w->header->suite);
    add_text(o, "test", w->header->test);
    add_text(o, "trace", w->trace);
    add(o, "number", json_integer(w->number));
    add(o, "finding", finding(w));
    add(o, "threads", threads);
    add(o, "context_switches", json_integer(w->context_switches));
    add(o, "slices", slices);
    if (w->expected) {
        json_t *expected = json_object();
        add(expected, "outcome", text(hd_outcome_word((unsigned)w->expected->outcome)));
        add(expected, "detail", json_integer(w->expected->detail));
        add_text(expected, "text", w->expected->text);
        add(o, "expected", expected);
    }
    put(o);
    json_decref(o);
}

void hd_json_verdicts(const Heddle__VerdictFile *file)
{
    for (size_t i = 0; i < file->n_verdict; i++) {
        const Heddle__Verdict *v = file->verdict[i];
        json_t *o = json_object();
        add(o, "verdict", text(hd_verdict_word(v->kind)));
        add_text(o, "witness", v->witness);
        add(o, "outcome", text(hd_outcome_word((unsigned)v->outcome)));
        add(o, "detail", json_integer(v->detail));
        add_text(o, "text", v->text);
        add(o, "slices_done", json_integer(v->slices_done));
        add(o, "events", number(v->events));
        put(o);
        json_decref(o);
    }
}
