/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "report/excerpt.h"
#include "report/text.h"

#define INDENT "       "
#define NARROW 60 /* below, a table of the tests does not fit */

enum colour { RED, GREEN, YELLOW, BOLD, DIM };

struct page {
    struct hd_text *out;
    const struct hd_plain_style *style;
};

/* ------------------------------------------------------------- words */

/* Only what may stand in a terminal; without UTF-8, a question mark for what is no ASCII. */
static void add(const struct page *p, const char *s)
{
    char *clean = hd_clean(s), *to = clean;
    for (const char *c = clean; !p->style->utf8 && *c;) {
        *to++ = (unsigned char)*c < 0x80 ? *c : '?';
        for (c++; (*c & 0xc0) == 0x80;)
            c++;
    }
    if (!p->style->utf8)
        *to = 0;
    hd_text_add(p->out, clean);
    free(clean);
}

__attribute__((format(printf, 2, 3))) static void say(const struct page *p, const char *fmt, ...)
{
    char *s;
    va_list args;
    va_start(args, fmt);
    int length = vasprintf(&s, fmt, args);
    va_end(args);
    if (length < 0)
        return;
    add(p, s);
    free(s);
}

static void paint(const struct page *p, enum colour c, const char *s)
{
    static const char *const codes[] = {"31;1", "32", "33", "1", "2"};
    if (p->style->colour) {
        hd_text_add(p->out, "\033[");
        hd_text_add(p->out, codes[c]);
        hd_text_add(p->out, "m");
    }
    add(p, s);
    if (p->style->colour)
        hd_text_add(p->out, "\033[0m");
}

static size_t columns_of(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += (*s & 0xc0) != 0x80;
    return n;
}

/* Padded to `width`, and cut where it is longer. */
static void cell(const struct page *p, const char *s, size_t width)
{
    size_t length = columns_of(s);
    if (length <= width) {
        say(p, "%s%*s", s, (int)(width - length), "");
        return;
    }
    const char *mark = p->style->utf8 ? "\xe2\x80\xa6" : "~", *end = s;
    for (size_t n = 0; *end && n + 1 <= width; end++)
        n += (end[1] & 0xc0) != 0x80;
    say(p, "%.*s%s", (int)(end - s) - 1, s, mark);
}

/* ------------------------------------------------------------- the account */

static void summary(const struct page *p, const struct hd_report *r)
{
    static const enum colour colours[HD_COLUMNS] = {DIM, GREEN, RED, YELLOW, YELLOW, DIM};
    const struct hd_tally *t = &r->tally;
    paint(p, BOLD, hd_report_program(r));
    say(p, ": %zu test%s, %" PRIu64 " alternative%s:", r->tests, r->tests == 1 ? "" : "s", t->alternatives,
        t->alternatives == 1 ? "" : "s");
    for (int i = 0; i < HD_COLUMNS; i++) {
        if (i > HD_COLUMN_FAILING && !t->column[i])
            continue;
        char *words = hd_format("%" PRIu64 " %s", t->column[i], hd_column_word((enum hd_column)i));
        say(p, "%s ", i ? "," : "");
        if (t->column[i])
            paint(p, colours[i], words);
        else
            add(p, words);
        free(words);
    }
    say(p, "\n");
}

static size_t digits(uint64_t n)
{
    size_t count = 1;
    while (n /= 10)
        count++;
    return count;
}

static size_t longest_name(const struct hd_report *r)
{
    size_t width = 4;
    for (size_t i = 0; i < r->tests; i++) {
        size_t length = columns_of(r->test[i].name);
        width = length > width ? length : width;
    }
    return width;
}

/* One line a test, its columns as wide as their numbers; where they do not fit, in words. */
static void tests(const struct page *p, const struct hd_report *r)
{
    size_t width[HD_COLUMNS], used = 2 + 2 + 12, name = longest_name(r);
    unsigned limit = p->style->width ? p->style->width : 1000;
    int columns = r->tally.column[HD_COLUMN_SUPPRESSED] ? HD_COLUMNS : HD_COLUMN_SUPPRESSED;
    for (int i = 0; i < columns; i++) {
        size_t word = strlen(hd_column_word((enum hd_column)i)), number = digits(r->tally.column[i]);
        width[i] = word > number ? word : number;
        used += 2 + width[i];
    }
    if (limit < NARROW || limit < used + 8) {
        for (size_t i = 0; i < r->tests; i++) {
            char *words = hd_tally_words(&r->test[i].tally);
            say(p, "  %s: %s\n", r->test[i].name, words);
            free(words);
        }
        return;
    }
    name = name > limit - used ? limit - used : name;
    say(p, "  ");
    cell(p, "test", name);
    say(p, "  alternatives");
    for (int i = 0; i < columns; i++)
        say(p, "  %*s", (int)width[i], hd_column_word((enum hd_column)i));
    for (size_t k = 0; k < r->tests; k++) {
        say(p, "\n  ");
        cell(p, r->test[k].name, name);
        say(p, "  %12" PRIu64, r->test[k].tally.alternatives);
        for (int i = 0; i < columns; i++)
            say(p, "  %*" PRIu64, (int)width[i], r->test[k].tally.column[i]);
    }
    say(p, "\n");
}

static void closing(const struct page *p, const struct hd_report *r)
{
    char *words = hd_tally_close_words(&r->tally);
    say(p, "  %s\n", words);
    free(words);
}

/* ------------------------------------------------------------- findings */

static void begin_source(void *data, const char *file)
{
    say(data, INDENT "%s\n", file);
}

static void source_line(void *data, uint32_t number, const char *s, size_t length, bool hit)
{
    const struct page *p = data;
    const char *bar = p->style->utf8 ? "\xe2\x94\x82" : "|";
    size_t room = p->style->width > 40 ? p->style->width - 18 : length;
    say(p, INDENT " %s%5u %s ", hit ? ">" : " ", number, bar);
    char *text = hd_format("%.*s", (int)(length < room ? length : room), s);
    if (hit)
        paint(p, BOLD, text);
    else
        add(p, text);
    free(text);
    say(p, "\n");
}

static void end_source(void *data)
{
    (void)data;
}

static void chain(const struct page *p, const struct hd_report_finding *f)
{
    for (size_t i = 0; i < f->links; i++) {
        const struct hd_report_link *l = &f->chain[i];
        say(p, INDENT "%s ", i ? p->style->utf8 ? "         \xe2\x86\x92" : "        ->" : "why:     ");
        if (!l->value) {
            say(p, "%s\n", l->words);
            continue;
        }
        say(p, "%s %s = %s", l->thread, l->words, l->value);
        if (l->recorded)
            say(p, ", recorded %s", l->recorded);
        say(p, *l->place ? " (%s)\n" : "\n%s", l->place);
    }
}

static void details(const struct page *p, const struct hd_report_finding *f)
{
    const struct hd_occurrence *o = &f->occurrence[0];
    struct hd_excerpt_reader reader = {begin_source, source_line, end_source, (void *)p};
    if (f->roles)
        say(p, INDENT "%s\n", f->sentence);
    if (*o->text && strcmp(o->text, f->sentence) != 0)
        say(p, INDENT "%s\n", o->text);
    chain(p, f);
    hd_excerpts(f, 2, &reader);
}

static void headline(const struct page *p, const struct hd_report *r, const struct hd_report_finding *f)
{
    const struct hd_occurrence *o = &f->occurrence[0];
    const struct hd_source_place *at = f->roles ? hd_finding_place(f) : NULL; /* else the title says it */
    char *place = at ? hd_source_place_words(at) : hd_strdup("");
    say(p, "  ");
    paint(p, f->known ? DIM : RED, f->known ? "known" : "FAIL");
    say(p, " %s", r->test[o->test].name);
    if (o->witness)
        say(p, "/%u", o->number);
    say(p, "  ");
    paint(p, BOLD, f->title);
    if (*place)
        say(p, " (%s)", place);
    if (o->witness)
        say(p, "  %u context switch%s", o->context_switches, o->context_switches == 1 ? "" : "es");
    say(p, "\n");
    free(place);
}

static void finding(const struct page *p, const struct hd_report *r, const struct hd_report_finding *f)
{
    const struct hd_occurrence *o = &f->occurrence[0];
    headline(p, r, f);
    if (p->style->verbose)
        details(p, f);
    if (o->witness) {
        char *replay = hd_replay_line(r, o, ""), *debug = hd_replay_line(r, o, "--gdb");
        say(p, INDENT "replay:  %s\n" INDENT "debug:   %s\n", replay, debug);
        free(replay);
        free(debug);
    } else {
        char *path = hd_format("%s/%s", r->dir, r->test[o->test].trace), *word = hd_shell_word(path);
        say(p, INDENT "show:    heddle show %s\n", word);
        free(path);
        free(word);
    }
    if (p->style->verbose)
        say(p, INDENT "kind:    %s\n" INDENT "id:      %s\n", f->kind, f->id);
}

char *hd_report_plain(const struct hd_report *r, const struct hd_plain_style *style)
{
    struct hd_text out = {0};
    const struct page p = {&out, style};
    if (style->quiet && r->failing == r->known)
        return hd_strdup("");
    summary(&p, r);
    if (style->verbose)
        tests(&p, r);
    for (size_t i = 0; i < r->findings; i++)
        if (r->finding[i].occurrence[0].rank == HD_RANK_FAILING)
            finding(&p, r, &r->finding[i]);
    if (style->verbose || !r->failing)
        closing(&p, r);
    return out.s;
}
