/* SPDX-License-Identifier: Apache-2.0
 * heddle.json: the model as it is. */
#include <stdlib.h>

#include "report/formats.h"
#include "report/json_text.h"

#define JSON_VERSION 1

static json_t *place_json(const struct hd_source_place *p)
{
    json_t *o = json_object();
    hd_json_add_text(o, "function", p->function);
    hd_json_add_text(o, "file", p->file);
    hd_json_add_text(o, "path", p->path);
    if (p->line)
        hd_json_add(o, "line", json_integer(p->line));
    hd_json_add_text(o, "module", p->module);
    return o;
}

static json_t *tally_json(const struct hd_tally *t)
{
    static const char *const keys[HD_COLUMNS] = {"impossible", "harmless", "failing", "diverged", "open", "suppressed"};
    json_t *o = json_object();
    hd_json_add(o, "alternatives", json_integer((json_int_t)t->alternatives));
    for (int i = 0; i < HD_COLUMNS; i++)
        hd_json_add(o, keys[i], json_integer((json_int_t)t->column[i]));
    hd_json_add(o, "closed", json_boolean(hd_tally_closed(t)));
    hd_json_add(o, "deeper", json_boolean(t->deeper));
    hd_json_add(o, "recordings", json_integer((json_int_t)t->recordings));
    return o;
}

static json_t *chain_json(const struct hd_report_finding *f)
{
    json_t *chain = json_array();
    for (size_t i = 0; i < f->links; i++) {
        json_t *o = json_object();
        hd_json_add(o, "thread", hd_json_text(f->chain[i].thread));
        hd_json_add(o, "event", hd_json_text(f->chain[i].words));
        hd_json_add_text(o, "value", f->chain[i].value);
        hd_json_add_text(o, "recorded", f->chain[i].recorded);
        hd_json_add_text(o, "place", f->chain[i].place);
        json_array_append_new(chain, o);
    }
    return chain;
}

static json_t *test_json(const struct hd_report_test *t)
{
    json_t *o = json_object();
    hd_json_add_text(o, "suite", t->suite);
    hd_json_add(o, "test", hd_json_text(t->name));
    hd_json_add_text(o, "program", t->program);
    hd_json_add_text(o, "trace", t->trace);
    hd_json_add_text(o, "recorded", t->outcome);
    hd_json_add_text(o, "recorded_failure", t->recorded_failure);
    hd_json_add(o, "events", json_integer((json_int_t)t->events));
    hd_json_add(o, "threads", json_integer((json_int_t)t->threads));
    hd_json_add(o, "account", tally_json(&t->tally));
    return o;
}

static json_t *occurrence_json(const struct hd_report *r, const struct hd_occurrence *at)
{
    json_t *o = json_object();
    hd_json_add_text(o, "suite", r->test[at->test].suite);
    hd_json_add(o, "test", hd_json_text(r->test[at->test].name));
    hd_json_add(o, "verdict", hd_json_text(hd_rank_word(at->rank)));
    hd_json_add_text(o, "text", at->text);
    hd_json_add_text(o, "confirmed", at->confirmed);
    if (!at->witness)
        return o;
    char *replay = hd_replay_line(r, at, ""), *debug = hd_replay_line(r, at, "--gdb");
    hd_json_add(o, "witness", hd_json_text(at->witness));
    hd_json_add(o, "number", json_integer(at->number));
    hd_json_add(o, "context_switches", json_integer(at->context_switches));
    hd_json_add(o, "replay", hd_json_text(replay));
    hd_json_add(o, "debug", hd_json_text(debug));
    free(replay);
    free(debug);
    return o;
}

static json_t *role_json(const struct hd_report_role *role)
{
    json_t *o = json_object(), *stack = json_array(), *held = json_array();
    hd_json_add_text(o, "name", role->name);
    hd_json_add_text(o, "meaning", role->label);
    hd_json_add_text(o, "thread", role->thread);
    hd_json_add_text(o, "event", role->words);
    hd_json_add_text(o, "value", role->value);
    hd_json_add_text(o, "other_value", role->other);
    hd_json_add(o, "place", place_json(&role->place));
    for (size_t i = 0; i < role->frames; i++)
        json_array_append_new(stack, place_json(&role->stack[i]));
    for (size_t i = 0; i < role->helds; i++)
        json_array_append_new(held, hd_json_text(role->held[i]));
    hd_json_add(o, "stack", stack);
    hd_json_add(o, "held", held);
    return o;
}

static json_t *timeline_json(const struct hd_report_finding *f, const struct hd_timeline *line)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < line->rows; i++) {
        const struct hd_row *row = &line->row[i];
        json_t *o = json_object();
        hd_json_add(o, "thread", hd_json_text(f->thread[row->thread]));
        hd_json_add(o, "event", hd_json_text(row->words));
        hd_json_add_text(o, "value", row->value);
        hd_json_add_text(o, "role", row->role);
        if (row->differs)
            hd_json_add(o, "differs", json_true());
        if (row->skipped)
            hd_json_add(o, "skipped_before", json_integer((json_int_t)row->skipped));
        hd_json_add(o, "place", place_json(&row->place));
        json_array_append_new(rows, o);
    }
    return rows;
}

static json_t *finding_json(const struct hd_report *r, const struct hd_report_finding *f)
{
    json_t *o = json_object(), *occurrences = json_array(), *roles = json_array();
    hd_json_add(o, "id", hd_json_text(f->id));
    hd_json_add(o, "verdict", hd_json_text(hd_rank_word(f->occurrence[0].rank)));
    hd_json_add(o, "kind", hd_json_text(f->kind));
    hd_json_add_text(o, "pattern", f->pattern);
    hd_json_add_text(o, "title", f->title);
    hd_json_add_text(o, "sentence", f->sentence);
    hd_json_add_text(o, "variable", f->variable);
    for (size_t i = 0; i < f->occurrences; i++)
        json_array_append_new(occurrences, occurrence_json(r, &f->occurrence[i]));
    for (size_t i = 0; i < f->roles; i++)
        json_array_append_new(roles, role_json(&f->role[i]));
    hd_json_add(o, "occurrences", occurrences);
    hd_json_add(o, "roles", roles);
    hd_json_add(o, "known", json_boolean(f->known));
    hd_json_add(o, "chain", chain_json(f));
    hd_json_add(o, "recorded_run", timeline_json(f, &f->recorded));
    hd_json_add(o, "witness_run", timeline_json(f, &f->failing));
    hd_json_add(o, "witness_run_is_a_rerun", json_boolean(f->rerun));
    return o;
}

void hd_report_json(const struct hd_report *r, struct hd_text *out)
{
    json_t *o = json_object(), *tests = json_array(), *findings = json_array();
    hd_json_add(o, "version", json_integer(JSON_VERSION));
    hd_json_add(o, "heddle", json_string(HD_VERSION));
    hd_json_add_text(o, "time", r->time);
    hd_json_add(o, "account", tally_json(&r->tally));
    hd_json_add(o, "failing_findings", json_integer((json_int_t)r->failing));
    hd_json_add(o, "known_findings", json_integer((json_int_t)r->known));
    for (size_t i = 0; i < r->tests; i++)
        json_array_append_new(tests, test_json(&r->test[i]));
    for (size_t i = 0; i < r->findings; i++)
        json_array_append_new(findings, finding_json(r, &r->finding[i]));
    hd_json_add(o, "tests", tests);
    hd_json_add(o, "findings", findings);
    hd_json_put(out, o);
}
