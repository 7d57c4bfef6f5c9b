/* SPDX-License-Identifier: Apache-2.0
 * A witness as a story: a column a thread, a line a step, in the order of the schedule; what a write
 * replaces, and what the read that differs had seen in the recording. Long lines are broken at the width
 * of the terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/show.h"
#include "proto/memory.h"
#include "report/timeline.h"

enum { NUMBER = 6, TEXT_LEAST = 30, COLUMN_MOST = 30, COLUMN_LEAST = 2 };

struct story {
    const Heddle__Witness *w;
    const struct hd_trace *t;
    const struct hd_timeline *line;
    uint32_t *column; /* per thread of the witness; HD_NO_INDEX: does nothing */
    uint32_t columns;
    size_t width, step;
    bool headed; /* columns have room for the names of threads; else each line has its own */
};

size_t hd_show_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    long asked = columns ? strtol(columns, NULL, 10) : 0;
    return asked >= 40 && asked <= 10000 ? (size_t)asked : 100;
}

static void lay_out(struct story *s)
{
    size_t longest = 0;
    s->column = hd_alloc((s->w->n_thread + 1) * sizeof *s->column);
    memset(s->column, 0xff, s->w->n_thread * sizeof *s->column);
    for (size_t i = 0; i < s->line->rows; i++)
        s->column[s->line->row[i].thread] = 0;
    for (size_t i = 0; i < s->w->n_thread; i++)
        if (s->column[i] == 0) {
            s->column[i] = s->columns++;
            longest = strlen(s->w->thread[i]) > longest ? strlen(s->w->thread[i]) : longest;
        }
    size_t room = s->width > NUMBER + TEXT_LEAST ? s->width - NUMBER - TEXT_LEAST : 0;
    s->step = s->columns > 1 ? room / (s->columns - 1) : COLUMN_MOST;
    s->step = s->step > COLUMN_MOST ? COLUMN_MOST : s->step;
    s->headed = s->step >= longest + 2;
    if (s->step < COLUMN_LEAST)
        s->step = 0;
}

static void print_head(const struct story *s)
{
    size_t at = NUMBER;
    printf("%*s", NUMBER, "");
    for (size_t i = 0; s->headed && i < s->w->n_thread; i++) {
        if (s->column[i] == HD_NO_INDEX)
            continue;
        size_t start = NUMBER + s->column[i] * s->step;
        printf("%*s%s", (int)(start - at), "", s->w->thread[i]);
        at = start + strlen(s->w->thread[i]);
    }
    putchar('\n');
}

/* From `start` on, broken between words where there is a blank to do so. */
static void print_broken(const struct story *s, size_t start, const char *text)
{
    size_t room = s->width > start + TEXT_LEAST ? s->width - start : TEXT_LEAST;
    while (strlen(text) > room) {
        size_t cut = room;
        while (cut > room / 2 && text[cut] != ' ')
            cut--;
        if (text[cut] != ' ')
            cut = room;
        size_t end = cut;
        while (end && text[end - 1] == ' ')
            end--;
        printf("%.*s\n%*s", (int)end, text, (int)start + 2, "");
        text += cut + (text[cut] == ' ');
        room = s->width > start + 2 + TEXT_LEAST ? s->width - start - 2 : TEXT_LEAST;
    }
    puts(text);
}

static uint64_t written(const struct hd_event *e)
{
    return e->kind == HD_ATOMIC_RMW ? e->second : e->value;
}

static bool writes(const struct hd_event *e)
{
    return e->kind == HD_WRITE || e->kind == HD_ATOMIC_STORE || e->kind == HD_ATOMIC_RMW;
}

/* What the rows so far left at the address; false where they do not say. */
static bool value_before(const struct story *s, size_t row, uint64_t *value)
{
    const struct hd_event *e = &s->t->event[s->line->row[row].position];
    for (size_t i = row; i-- > 0;) {
        const struct hd_event *o = &s->t->event[s->line->row[i].position];
        if (!s->line->row[i].has_value || o->address >= e->address + e->size || e->address >= o->address + o->size)
            continue;
        *value = writes(o) ? written(o) : s->line->row[i].number;
        return o->address == e->address && o->size == e->size;
    }
    return false;
}

/* " 100 -> 130", " = 100 (recorded: 130)", or nothing. */
static char *values(const struct story *s, size_t i, struct hd_strings *strings)
{
    const struct hd_row *row = &s->line->row[i];
    const struct hd_event *e = &s->t->event[row->position];
    uint64_t before;
    if (!row->has_value)
        return hd_strdup("");
    const char *now = hd_value_words(strings, row->number, e->size);
    if (e->kind == HD_ATOMIC_RMW && !row->differs)
        return hd_format(" %s -> %s", now, hd_value_words(strings, e->second, e->size));
    if (e->kind == HD_WRITE || e->kind == HD_ATOMIC_STORE)
        return value_before(s, i, &before) && before != row->number
                   ? hd_format(" %s -> %s", hd_value_words(strings, before, e->size), now)
                   : hd_format(" = %s", now);
    if (row->differs && row->number != e->value)
        return hd_format(" = %s (recorded: %s)", now, hd_value_words(strings, e->value, e->size));
    return hd_format(" = %s", now);
}

static void print_row(const struct story *s, size_t i, size_t number, struct hd_strings *strings)
{
    const struct hd_row *row = &s->line->row[i];
    char *place = hd_source_place_words(&row->place), *value = values(s, i, strings);
    char *text = hd_format("%s%s%s%s%s%s%s", s->headed ? "" : s->w->thread[row->thread], s->headed ? "" : " ",
                           row->words, value, *place ? "  (" : "", place, *place ? ")" : "");
    size_t start = NUMBER + s->column[row->thread] * s->step;
    if (row->skipped)
        printf("%*s... %zu more\n", NUMBER, "", row->skipped);
    printf("%4zu%c %*s", number, row->role || row->differs || row->waits ? '>' : ' ', (int)(start - NUMBER), "");
    print_broken(s, start, text);
    free(place);
    free(value);
    free(text);
}

void hd_show_story(const Heddle__Witness *w, const struct hd_trace *t)
{
    struct hd_timeline recorded = {0}, line = {0};
    struct hd_strings strings = {0};
    struct hd_seen_run run = {t, hd_symbols_new(t)}, none = {NULL, NULL};
    hd_timelines_make(&recorded, &line, w, run, none, &strings);
    struct story s = {.w = w, .t = t, .line = &line, .width = hd_show_width()};
    lay_out(&s);
    printf("\nwhat happens%s\n", line.rows ? "" : ": nothing that the finding is about");
    if (s.headed)
        print_head(&s);
    size_t number = 0;
    for (size_t i = 0; i < line.rows; i++) {
        number += line.row[i].skipped + 1;
        print_row(&s, i, number, &strings);
    }
    free(s.column);
    free(recorded.row);
    free(line.row);
    hd_strings_free(&strings);
    hd_symbols_free(run.symbols);
}
