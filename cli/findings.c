/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/suppression.h"

static const Heddle__Anchor *place_of(const Heddle__Witness *w)
{
    for (size_t i = 0; w->finding && i < w->finding->n_role; i++) {
        const Heddle__Role *role = w->finding->role[i];
        uint32_t anchor = role->at && role->at->anchor ? role->at->anchor : role->n_stack ? role->stack[0] : 0;
        if (anchor > 0 && anchor <= w->n_anchor && w->anchor[anchor - 1]->line)
            return w->anchor[anchor - 1];
    }
    return NULL;
}

static void print_finding(const Heddle__Witness *w, const char *path)
{
    const Heddle__Anchor *at = place_of(w);
    const char *slash = at ? strrchr(at->file, '/') : NULL;
    printf("  %u  %s", w->number, w->finding->title);
    if (at)
        printf("  (%s:%u)", slash ? slash + 1 : at->file, at->line);
    printf("  %u context switch%s  %s\n", w->context_switches, w->context_switches == 1 ? "" : "es", path);
}

/* What the recording left out, the analysis cannot have considered. */
static void print_gaps(const struct hd_trace *t)
{
    if (t->reduced)
        puts("  the recording is reduced: past its budget it has synchronization and shared words only");
    if (t->capped)
        puts("  the recording is capped: past its size it has synchronization only");
}

static void print_summary(const struct hd_findings *f)
{
    const struct hd_analysis *a = f->analysis;
    const char *separator = " (";
    printf("%s: %llu candidates: %llu impossible, %llu witness, %llu open", f->name, (unsigned long long)a->candidates,
           (unsigned long long)a->impossible, (unsigned long long)a->feasible, (unsigned long long)a->open);
    if (a->feasible != a->witnesses) {
        printf("%s%zu finding%s", separator, a->witnesses + a->unwritten, a->witnesses + a->unwritten == 1 ? "" : "s");
        separator = ", ";
    }
    if (a->suppressed) {
        printf("%s%zu suppressed", separator, a->suppressed);
        separator = ", ";
    }
    if (a->expected) {
        printf("%s%llu expected race%s", separator, (unsigned long long)a->expected, a->expected == 1 ? "" : "s");
        separator = ", ";
    }
    printf("%s%s\n", *separator == ',' ? ")" : "", a->interrupted ? "; interrupted" : "");
}

void hd_findings_print(const struct hd_findings *f)
{
    const struct hd_analysis *a = f->analysis;
    print_summary(f);
    print_gaps(f->trace);
    for (size_t i = 0; i < a->witnesses; i++)
        print_finding(a->witness[i], f->path[i]);
    if (a->unwritten)
        printf("  and %zu findings without a witness; --all writes them all\n", a->unwritten);
    for (size_t i = 0; i < a->witnesses && f->gen_suppressions; i++) {
        char *text = hd_suppression_words(a->witness[i]);
        fputs(text, stdout);
        free(text);
    }
}

static void add(json_t *o, const char *name, json_t *value)
{
    json_object_set_new(o, name, value);
}

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

/* Names come from programs and files; what is not UTF-8 is shown byte by byte. */
static json_t *text(const char *s)
{
    json_t *whole = json_string(s);
    if (whole)
        return whole;
    size_t length = strlen(s);
    char *safe = malloc(length + 1);
    for (size_t i = 0; safe && i <= length; i++)
        safe[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
    whole = json_string(safe ? safe : "");
    free(safe);
    return whole;
}

static json_t *finding_json(const Heddle__Witness *w, const char *path, bool gen_suppressions)
{
    const Heddle__Anchor *at = place_of(w);
    json_t *o = json_object();
    add(o, "number", number(w->number));
    add(o, "kind", text(w->finding->kind));
    add(o, "pattern", text(w->finding->pattern));
    add(o, "id", text(w->finding->id));
    add(o, "title", text(w->finding->title));
    add(o, "sentence", text(w->finding->sentence));
    if (at) {
        add(o, "file", text(at->file));
        add(o, "line", number(at->line));
    }
    add(o, "context_switches", number(w->context_switches));
    add(o, "witness", text(path));
    if (gen_suppressions) {
        char *words = hd_suppression_words(w);
        add(o, "suppression", text(words));
        free(words);
    }
    return o;
}

json_t *hd_findings_json(const struct hd_findings *f)
{
    const struct hd_analysis *a = f->analysis;
    json_t *o = json_object(), *findings = json_array();
    add(o, "test", text(f->name));
    add(o, "candidates", number(a->candidates));
    add(o, "impossible", number(a->impossible));
    add(o, "witness", number(a->feasible));
    add(o, "open", number(a->open));
    add(o, "unwritten", number(a->unwritten));
    add(o, "suppressed", number(a->suppressed));
    add(o, "expected_races", number(a->expected));
    add(o, "interrupted", json_boolean(a->interrupted));
    add(o, "cut", json_boolean(f->trace->truncated));
    add(o, "reduced", json_boolean(f->trace->reduced));
    add(o, "capped", json_boolean(f->trace->capped));
    for (size_t i = 0; i < a->witnesses; i++)
        json_array_append_new(findings, finding_json(a->witness[i], f->path[i], f->gen_suppressions));
    add(o, "findings", findings);
    return o;
}
