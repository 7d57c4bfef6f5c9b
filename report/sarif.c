/* SPDX-License-Identifier: Apache-2.0
 * SARIF 2.1.0: a result is a finding; its code flow has one threadFlow per thread, and the
 * executionOrder of their locations is the interleaving. */
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "report/formats.h"
#include "report/json_text.h"

static json_t *artifact(const struct hd_source_place *p)
{
    json_t *o = json_object();
    char *path = hd_uri_path(*p->path ? p->path : p->file);
    char *uri = *path == '/' ? hd_format("file://%s", path) : hd_strdup(path);
    hd_json_add(o, "uri", json_string(uri));
    free(path);
    free(uri);
    return o;
}

/* `text` may be NULL. */
static json_t *location(const struct hd_source_place *p, const char *text)
{
    json_t *o = json_object();
    if (p->line && *p->file) {
        json_t *physical = json_object(), *region = json_object();
        hd_json_add(region, "startLine", json_integer(p->line));
        hd_json_add(physical, "artifactLocation", artifact(p));
        hd_json_add(physical, "region", region);
        hd_json_add(o, "physicalLocation", physical);
    }
    if (*p->function && strcmp(p->function, "?") != 0) {
        json_t *logical = json_object(), *list = json_array();
        hd_json_add(logical, "name", hd_json_text(p->function));
        hd_json_add(logical, "kind", json_string("function"));
        json_array_append_new(list, logical);
        hd_json_add(o, "logicalLocations", list);
    }
    if (text)
        hd_json_add(o, "message", hd_json_message(text));
    return o;
}

static json_t *stack(const struct hd_report_role *role)
{
    json_t *o = json_object(), *frames = json_array();
    char *title = hd_format("%s: %s, %s", role->label, role->thread, role->words);
    for (size_t i = 0; i < role->frames; i++) {
        json_t *frame = json_object();
        hd_json_add(frame, "location", location(&role->stack[i], NULL));
        hd_json_add_text(frame, "module", role->stack[i].module);
        json_array_append_new(frames, frame);
    }
    hd_json_add(o, "message", hd_json_message(title));
    hd_json_add(o, "frames", frames);
    free(title);
    return o;
}

static json_t *flow_location(const struct hd_row *row, size_t order)
{
    json_t *o = json_object();
    char *text = hd_format("%s%s%s", row->words, row->value ? " = " : "", row->value ? row->value : "");
    hd_json_add(o, "location", location(&row->place, text));
    hd_json_add(o, "executionOrder", json_integer((json_int_t)order));
    hd_json_add(o, "importance", json_string(row->role || row->differs || row->failed || row->waits ? "essential"
                                                                                                    : "important"));
    free(text);
    return o;
}

/* A threadFlow needs a location: a thread that did nothing has none. */
static void add_flows(json_t *flows, const struct hd_report_finding *f, const struct hd_timeline *line)
{
    for (uint32_t t = 0; t < f->threads; t++) {
        json_t *locations = json_array(), *flow = json_object();
        for (size_t i = 0; i < line->rows; i++)
            if (line->row[i].thread == t)
                json_array_append_new(locations, flow_location(&line->row[i], i + 1));
        if (json_array_size(locations)) {
            hd_json_add(flow, "id", hd_json_text(f->thread[t]));
            hd_json_add(flow, "locations", locations);
            json_array_append_new(flows, flow);
        } else {
            json_decref(locations);
            json_decref(flow);
        }
    }
}

static void add_code_flow(json_t *result, const struct hd_report_finding *f)
{
    json_t *flows = json_array(), *flow = json_object(), *list = json_array();
    add_flows(flows, f, &f->failing);
    if (json_array_size(flows)) {
        hd_json_add(flow, "message", hd_json_message(f->occurrence[0].text));
        hd_json_add(flow, "threadFlows", flows);
        json_array_append_new(list, flow);
        hd_json_add(result, "codeFlows", list);
        return;
    }
    json_decref(flows);
    json_decref(flow);
    json_decref(list);
}

static const char *level(enum hd_verdict_rank rank)
{
    return rank == HD_RANK_FAILING ? "error" : rank == HD_RANK_HARMLESS ? "note" : "warning";
}

static json_t *message(const struct hd_report *r, const struct hd_report_finding *f)
{
    const struct hd_occurrence *o = &f->occurrence[0];
    char *replay = o->witness ? hd_replay_line(r, o, "") : hd_strdup("");
    char *text = hd_format("%s: %s. %s: %s%s%s", f->title, f->sentence, hd_rank_word(o->rank), o->text,
                           *replay ? "\nReplay: " : "", replay);
    json_t *m = hd_json_message(text);
    free(replay);
    free(text);
    return m;
}

/* The kinds of findings, each once, are the rules; where a finding's stands among them. */
static size_t rule_of(const struct hd_report *r, size_t finding)
{
    size_t rules = 0;
    for (size_t i = 0; i <= finding; i++) {
        size_t first = 0;
        while (strcmp(r->finding[first].kind, r->finding[i].kind) != 0)
            first++;
        if (strcmp(r->finding[i].kind, r->finding[finding].kind) == 0)
            return rules;
        rules += first == i;
    }
    return rules;
}

static json_t *result(const struct hd_report *r, size_t index)
{
    const struct hd_report_finding *f = &r->finding[index];
    json_t *o = json_object(), *at = json_array(), *related = json_array(), *stacks = json_array();
    json_t *prints = json_object();
    const struct hd_source_place *place = hd_finding_place(f);
    hd_json_add(o, "ruleId", hd_json_text(f->kind));
    hd_json_add(o, "ruleIndex", json_integer((json_int_t)rule_of(r, index)));
    hd_json_add(o, "level", json_string(level(f->occurrence[0].rank)));
    hd_json_add(o, "message", message(r, f));
    if (place)
        json_array_append_new(at, location(place, NULL));
    for (size_t i = 0; i < f->roles; i++) {
        char *words = hd_format("%s: %s, %s", f->role[i].label, f->role[i].thread, f->role[i].words);
        json_array_append_new(related, location(&f->role[i].place, words));
        json_array_append_new(stacks, stack(&f->role[i]));
        free(words);
    }
    hd_json_add(o, "locations", at);
    hd_json_add(o, "relatedLocations", related);
    hd_json_add(o, "stacks", stacks);
    add_code_flow(o, f);
    hd_json_add(prints, "heddleFindingId/v1", hd_json_text(f->id));
    hd_json_add(o, "partialFingerprints", prints);
    if (r->has_baseline && f->occurrence[0].rank == HD_RANK_FAILING)
        hd_json_add(o, "baselineState", json_string(f->known ? "unchanged" : "new"));
    return o;
}

static json_t *rules(const struct hd_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->findings; i++) {
        json_t *rule = json_object();
        if (rule_of(r, i) < json_array_size(list)) {
            json_decref(rule);
            continue;
        }
        char *text = hd_format("an interleaving that changes what a test sees: %s", r->finding[i].kind);
        hd_json_add(rule, "id", hd_json_text(r->finding[i].kind));
        hd_json_add(rule, "shortDescription", hd_json_message(text));
        json_array_append_new(list, rule);
        free(text);
    }
    return list;
}

void hd_report_sarif(const struct hd_report *r, struct hd_text *out)
{
    json_t *o = json_object(), *runs = json_array(), *run = json_object(), *results = json_array();
    json_t *tool = json_object(), *driver = json_object();
    hd_json_add(driver, "name", json_string("heddle"));
    hd_json_add(driver, "version", json_string(HD_VERSION));
    hd_json_add(driver, "rules", rules(r));
    hd_json_add(tool, "driver", driver);
    for (size_t i = 0; i < r->findings; i++)
        json_array_append_new(results, result(r, i));
    hd_json_add(run, "tool", tool);
    if (r->time) {
        json_t *invocations = json_array(), *invocation = json_object();
        hd_json_add(invocation, "executionSuccessful", json_true());
        hd_json_add(invocation, "endTimeUtc", json_string(r->time));
        json_array_append_new(invocations, invocation);
        hd_json_add(run, "invocations", invocations);
    }
    hd_json_add(run, "columnKind", json_string("unicodeCodePoints"));
    hd_json_add(run, "results", results);
    json_array_append_new(runs, run);
    hd_json_add(o, "$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json"));
    hd_json_add(o, "version", json_string("2.1.0"));
    hd_json_add(o, "runs", runs);
    hd_json_put(out, o);
}
