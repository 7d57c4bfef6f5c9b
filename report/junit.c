/* SPDX-License-Identifier: Apache-2.0
 * JUnit's XML: a test case is a test; it fails where a schedule makes it fail. One <failure> a test,
 * since most readers show no more than the first. */
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"

static const char *suite_name(const struct hd_report_test *t)
{
    const char *slash = strrchr(t->program, '/');
    return *t->suite ? t->suite : slash ? slash + 1 : *t->program ? t->program : "imported";
}

/* A known failure is none. */
static const struct hd_occurrence *failing_in(const struct hd_report_finding *f, size_t test)
{
    if (f->known)
        return NULL;
    for (size_t i = 0; i < f->occurrences; i++)
        if (f->occurrence[i].test == test && f->occurrence[i].rank == HD_RANK_FAILING)
            return &f->occurrence[i];
    return NULL;
}

static size_t failing_findings(const struct hd_report *r, size_t test)
{
    size_t count = 0;
    for (size_t i = 0; i < r->findings; i++)
        count += failing_in(&r->finding[i], test) != NULL;
    return count;
}

static void add_failure(const struct hd_report *r, struct hd_text *out, const struct hd_report_finding *f,
                        const struct hd_occurrence *o)
{
    hd_markup(out, "%s\n%s\n%s\n", f->title, f->sentence, o->text);
    if (o->witness) {
        char *replay = hd_replay_line(r, o, ""), *debug = hd_replay_line(r, o, "--gdb");
        hd_markup(out, "replay: %s\ndebug: %s\n", replay, debug);
        free(replay);
        free(debug);
    }
    hd_markup(out, "id: %s\n", f->id);
}

static void add_case(const struct hd_report *r, struct hd_text *out, size_t test)
{
    const struct hd_report_test *t = &r->test[test];
    bool first = true;
    hd_markup(out, "    <testcase classname=\"%s\" name=\"%s\">\n", suite_name(t), t->name);
    for (size_t i = 0; i < r->findings; i++) {
        const struct hd_occurrence *o = failing_in(&r->finding[i], test);
        if (!o)
            continue;
        if (first)
            hd_markup(out, "      <failure type=\"%s\" message=\"%s: %s\">", r->finding[i].kind, r->finding[i].title,
                      o->text);
        else
            hd_text_add(out, "\n");
        add_failure(r, out, &r->finding[i], o);
        first = false;
    }
    if (!first)
        hd_text_add(out, "</failure>\n");
    char *words = hd_tally_words(&t->tally), *closed = hd_tally_close_words(&t->tally);
    hd_markup(out, "      <system-out>%s\n%s</system-out>\n    </testcase>\n", words, closed);
    free(words);
    free(closed);
}

/* Suites in the order in which their first tests come. */
static bool is_first_of_suite(const struct hd_report *r, size_t test)
{
    for (size_t i = 0; i < test; i++)
        if (strcmp(suite_name(&r->test[i]), suite_name(&r->test[test])) == 0)
            return false;
    return true;
}

static void add_suite(const struct hd_report *r, struct hd_text *out, size_t first)
{
    const char *name = suite_name(&r->test[first]);
    size_t tests = 0, failures = 0;
    for (size_t i = first; i < r->tests; i++)
        if (strcmp(suite_name(&r->test[i]), name) == 0) {
            tests++;
            failures += failing_findings(r, i) > 0;
        }
    hd_markup(out, "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\"", name, tests,
              failures);
    if (r->time)
        hd_markup(out, " timestamp=\"%s\"", r->time);
    hd_text_add(out, ">\n");
    for (size_t i = first; i < r->tests; i++)
        if (strcmp(suite_name(&r->test[i]), name) == 0)
            add_case(r, out, i);
    hd_text_add(out, "  </testsuite>\n");
}

void hd_report_junit(const struct hd_report *r, struct hd_text *out)
{
    size_t failures = 0;
    for (size_t i = 0; i < r->tests; i++)
        failures += failing_findings(r, i) > 0;
    hd_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    hd_markup(out, "<testsuites name=\"heddle\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", r->tests, failures);
    for (size_t i = 0; i < r->tests; i++)
        if (is_first_of_suite(r, i))
            add_suite(r, out, i);
    hd_text_add(out, "</testsuites>\n");
}
