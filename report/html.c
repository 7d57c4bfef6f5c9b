/* SPDX-License-Identifier: Apache-2.0
 * report.html: summary, tests, findings. */
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "report/formats.h"
#include "report/html_parts.h"

static const char *badge(enum hd_verdict_rank rank)
{
    return rank == HD_RANK_FAILING ? "failing" : rank == HD_RANK_HARMLESS ? "harmless" : "other";
}

static char *test_name(const struct hd_report_test *t)
{
    return hd_format("%s%s%s", t->suite, *t->suite ? "/" : "", t->name);
}

/* ------------------------------------------------------------- summary */

static void head(struct hd_text *out, const struct hd_report *r)
{
    hd_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\" />\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\" />\n"
                     "<meta http-equiv=\"Content-Security-Policy\" "
                     "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\" />\n"
                     "<link rel=\"icon\" href=\"data:,\" />\n");
    hd_markup(out, "<title>heddle: %s</title>\n<style>\n", hd_report_program(r));
    hd_text_add(out, hd_html_style);
    hd_text_add(out, "</style></head>\n<body>\n<a class=\"skip\" href=\"#findings\">To the findings</a>\n");
}

/* What seldom happens has a column where it did. */
static bool is_shown(const struct hd_report *r, int column)
{
    return r->tally.column[column] || column <= HD_COLUMN_FAILING;
}

static void count(struct hd_text *out, uint64_t n)
{
    hd_markup(out, "<td class=\"n\">%zu</td>", (size_t)n);
}

static void summary(struct hd_text *out, const struct hd_report *r)
{
    char *words = hd_tally_words(&r->tally), *closed = hd_tally_close_words(&r->tally);
    hd_markup(out, "<header><h1>heddle: %s</h1>\n<p>%zu test%s, ", hd_report_program(r), r->tests,
              r->tests == 1 ? "" : "s");
    if (r->failing)
        hd_markup(out, "<span class=\"badge failing\">%zu FAILING finding%s</span>", r->failing,
                  r->failing == 1 ? "" : "s");
    else
        hd_text_add(out, "<span class=\"badge passed\">nothing fails</span>");
    if (r->known)
        hd_markup(out, " (%zu of them known)", r->known);
    hd_markup(out, "; %s.</p>\n<p class=\"dim\">%s.</p></header>\n", words, closed);
    free(words);
    free(closed);
}

static void contents(struct hd_text *out, const struct hd_report *r)
{
    if (!r->findings)
        return;
    hd_text_add(out, "<nav aria-label=\"Findings\"><ol>\n");
    for (size_t i = 0; i < r->findings; i++) {
        enum hd_verdict_rank rank = r->finding[i].occurrence[0].rank;
        hd_markup(out, "<li><a href=\"#f%zu\">%s</a> <span class=\"badge %s\">%s</span></li>\n", i + 1,
                  r->finding[i].title, badge(rank), hd_rank_word(rank));
    }
    hd_text_add(out, "</ol></nav>\n");
}

static void tests(struct hd_text *out, const struct hd_report *r)
{
    hd_text_add(out, "<h2>Tests</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Tests\">"
                     "<table class=\"tests\"><thead><tr><th scope=\"col\">test</th><th scope=\"col\">as recorded</th>"
                     "<th scope=\"col\" class=\"n\">alternatives</th>");
    for (int i = 0; i < HD_COLUMNS; i++)
        if (is_shown(r, i))
            hd_markup(out, "<th scope=\"col\" class=\"n\">%s</th>", hd_column_word((enum hd_column)i));
    hd_text_add(out, "<th scope=\"col\" class=\"n\">threads</th><th scope=\"col\" class=\"n\">events</th>"
                     "</tr></thead><tbody>\n");
    for (size_t i = 0; i < r->tests; i++) {
        const struct hd_report_test *t = &r->test[i];
        char *name = test_name(t);
        hd_markup(out, "<tr><td>%s</td><td>%s</td>", name, t->outcome);
        count(out, t->tally.alternatives);
        for (int k = 0; k < HD_COLUMNS; k++)
            if (is_shown(r, k))
                count(out, t->tally.column[k]);
        count(out, t->threads);
        count(out, t->events);
        hd_text_add(out, "</tr>\n");
        free(name);
    }
    hd_text_add(out, "</tbody></table></div>\n");
}

/* ------------------------------------------------------------- a finding */

static void roles(struct hd_text *out, const struct hd_report_finding *f)
{
    if (!f->roles)
        return;
    hd_text_add(out, "<h3>The events it is about</h3>\n<ul class=\"roles\">\n");
    for (size_t i = 0; i < f->roles; i++) {
        const struct hd_report_role *role = &f->role[i];
        hd_markup(out, "<li><b>%s</b>: thread %s, %s", role->label, role->thread, role->words);
        if (role->value)
            hd_markup(out, " = <code>%s</code>", role->value);
        if (role->other)
            hd_markup(out, ", under the witness <code>%s</code>", role->other);
        for (size_t k = 0; k < role->helds; k++)
            hd_markup(out, "%s<code>%s</code>", k ? ", " : "; holds ", role->held[k]);
        hd_text_add(out, "<ol start=\"0\">");
        for (size_t k = 0; k < role->frames; k++) {
            char *place = hd_source_place_words(&role->stack[k]);
            hd_markup(out, "<li><code>%s</code> <span class=\"dim\">%s</span></li>", role->stack[k].function, place);
            free(place);
        }
        hd_text_add(out, "</ol></li>\n");
    }
    hd_text_add(out, "</ul>\n");
}

/* From the first read that differs to what failed. */
static void chain(struct hd_text *out, const struct hd_report_finding *f)
{
    if (!f->links)
        return;
    hd_text_add(out, "<h3>Why it fails</h3>\n<ol class=\"chain\">\n");
    for (size_t i = 0; i < f->links; i++) {
        const struct hd_report_link *l = &f->chain[i];
        hd_markup(out, "<li>thread %s %s", l->thread, l->value ? "" : "ends in: ");
        hd_markup(out, "%s", l->words);
        if (l->value)
            hd_markup(out, " = <b>%s</b>", l->value);
        if (l->recorded)
            hd_markup(out, ", recorded <b>%s</b>", l->recorded);
        if (*l->place)
            hd_markup(out, " <span class=\"dim\">%s</span>", l->place);
        hd_text_add(out, "</li>\n");
    }
    hd_text_add(out, "</ol>\n");
}

static void commands(struct hd_text *out, const struct hd_report *r, const struct hd_occurrence *o)
{
    if (!o->witness) {
        char *path = hd_format("%s/%s", r->dir, r->test[o->test].trace), *word = hd_shell_word(path);
        hd_markup(out, "<h3>See it</h3>\n<pre tabindex=\"0\">heddle show %s</pre>\n", word);
        free(path);
        free(word);
        return;
    }
    char *replay = hd_replay_line(r, o, ""), *debug = hd_replay_line(r, o, "--gdb");
    hd_markup(out, "<h3>Replay it</h3>\n<pre tabindex=\"0\">%s</pre>\n", replay);
    hd_markup(out, "<h3>Debug it</h3>\n<pre tabindex=\"0\">%s</pre>\n", debug);
    free(replay);
    free(debug);
}

static void occurrences(struct hd_text *out, const struct hd_report *r, const struct hd_report_finding *f)
{
    if (f->occurrences < 2)
        return;
    hd_text_add(out, "<h3>Also seen</h3>\n<ul>\n");
    for (size_t i = 1; i < f->occurrences; i++) {
        const struct hd_occurrence *o = &f->occurrence[i];
        char *name = test_name(&r->test[o->test]);
        hd_markup(out, "<li>%s: <code>%s</code> <span class=\"badge %s\">%s</span> %s</li>\n", name,
                  o->witness ? o->witness : r->test[o->test].trace, badge(o->rank), hd_rank_word(o->rank), o->text);
        free(name);
    }
    hd_text_add(out, "</ul>\n");
}

static void finding(struct hd_text *out, const struct hd_report *r, size_t index)
{
    const struct hd_report_finding *f = &r->finding[index];
    const struct hd_occurrence *o = &f->occurrence[0];
    char *name = test_name(&r->test[o->test]);
    hd_markup(out, "<details class=\"finding\" id=\"f%zu\"", index + 1);
    hd_text_add(out, o->rank == HD_RANK_FAILING ? " open=\"\">" : ">");
    hd_markup(out, "<summary><span class=\"badge %s\">%s</span> %s</summary>\n", badge(o->rank), hd_rank_word(o->rank),
              f->title);
    hd_markup(out, "<p>%s.</p>\n", f->sentence);
    if (*o->text && strcmp(o->text, f->sentence) != 0)
        hd_markup(out, "<p class=\"%s\">%s</p>\n", o->rank == HD_RANK_FAILING ? "end-bad" : "", o->text);
    if (*o->confirmed)
        hd_markup(out, "<p>In the rerun: %s</p>\n", o->confirmed);
    hd_markup(out, "<p class=\"dim\">test %s", name);
    if (o->witness)
        hd_markup(out, ", %u context switch%s", o->context_switches, o->context_switches == 1 ? "" : "es");
    hd_markup(out, ", kind %s, id <code>%s</code>%s</p>\n", f->kind, f->id, f->known ? ", known" : "");
    chain(out, f);
    hd_html_timelines(out, f);
    commands(out, r, o);
    hd_html_source(out, f);
    roles(out, f);
    occurrences(out, r, f);
    hd_text_add(out, "</details>\n");
    free(name);
}

void hd_report_html(const struct hd_report *r, struct hd_text *out)
{
    head(out, r);
    summary(out, r);
    contents(out, r);
    hd_text_add(out, "<main>\n");
    tests(out, r);
    hd_text_add(out, "<h2 id=\"findings\">Findings</h2>\n");
    if (!r->findings)
        hd_text_add(out, "<p>None: no witness is in this folder.</p>\n");
    for (size_t i = 0; i < r->findings; i++)
        finding(out, r, i);
    hd_markup(out, "</main>\n<footer class=\"dim\"><p>heddle %s%s%s</p></footer>\n</body></html>\n", HD_VERSION,
              r->time ? ", " : "", r->time ? r->time : "");
}
