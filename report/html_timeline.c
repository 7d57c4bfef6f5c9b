/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "report/html_parts.h"

/* The columns: threads that do something in either run, in their order. */
struct columns {
    uint32_t *column; /* of each thread */
    uint32_t *thread; /* of each column */
    uint32_t count;
};

static void note_threads(const struct hd_timeline *line, bool *seen)
{
    for (size_t i = 0; i < line->rows; i++)
        seen[line->row[i].thread] = true;
}

static struct columns columns_of(const struct hd_report_finding *f)
{
    struct columns c = {.column = hd_alloc((f->threads + 1) * sizeof *c.column),
                        .thread = hd_alloc((f->threads + 1) * sizeof *c.thread)};
    bool *seen = hd_alloc(f->threads + 1);
    note_threads(&f->recorded, seen);
    note_threads(&f->failing, seen);
    for (uint32_t i = 0; i < f->threads; i++)
        if (seen[i]) {
            c.thread[c.count] = i;
            c.column[i] = c.count++;
        }
    free(seen);
    return c;
}

static void empty_cells(struct hd_text *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hd_text_add(out, "<td></td>");
}

static const char *label_of(const struct hd_report_finding *f, const struct hd_row *row)
{
    for (size_t i = 0; row->role && i < f->roles; i++)
        if (strcmp(f->role[i].name, row->role) == 0)
            return f->role[i].label;
    return NULL;
}

static const char *class_of(const struct hd_row *row)
{
    return row->waits || row->failed ? "stuck" : row->differs ? "differs" : row->role ? "role" : "";
}

static void event(struct hd_text *out, const struct hd_report_finding *f, const struct hd_row *row)
{
    char *place = hd_source_place_words(&row->place);
    const char *label = label_of(f, row);
    hd_markup(out, "<td><span class=\"e %s\">%s", class_of(row), row->words);
    if (row->value)
        hd_markup(out, " = <b>%s</b>", row->value);
    if (row->differs)
        hd_text_add(out, " <b title=\"not as in the other run\">&#8800;</b>");
    if (label && !row->waits)
        hd_markup(out, "<small>%s</small>", label);
    if (*place)
        hd_markup(out, "<small>%s</small>", place);
    hd_text_add(out, "</span></td>");
    free(place);
}

/* From the middle of one column to the middle of the other. */
static void hand_over(struct hd_text *out, const struct columns *c, const struct hd_report_finding *f, uint32_t from,
                      uint32_t to)
{
    uint32_t a = c->column[from], b = c->column[to], low = a < b ? a : b, high = a < b ? b : a;
    char margin[16];
    snprintf(margin, sizeof margin, "%.2f", 50.0 / (high - low + 1));
    hd_markup(out, "<tr class=\"hand %s\">", a < b ? "right" : "left");
    empty_cells(out, low);
    hd_markup(out, "<td colspan=\"%u\"><div class=\"arrow\" style=\"margin:0 %s%%\"></div>", high - low + 1, margin);
    hd_markup(out, "<span class=\"hidden\">%s hands over to %s</span></td>", f->thread[from], f->thread[to]);
    empty_cells(out, c->count - high - 1);
    hd_text_add(out, "</tr>\n");
}

static void skipped(struct hd_text *out, const struct columns *c, size_t count)
{
    if (count)
        hd_markup(out, "<tr><td class=\"skipped\" colspan=\"%u\">&#8942; %zu more event%s</td></tr>\n", c->count, count,
                  count == 1 ? "" : "s");
}

static void rows(struct hd_text *out, const struct columns *c, const struct hd_report_finding *f,
                 const struct hd_timeline *line)
{
    for (size_t i = 0; i < line->rows; i++) {
        const struct hd_row *row = &line->row[i];
        skipped(out, c, row->skipped);
        if (i && !row->skipped && line->row[i - 1].thread != row->thread)
            hand_over(out, c, f, line->row[i - 1].thread, row->thread);
        hd_text_add(out, "<tr>");
        empty_cells(out, c->column[row->thread]);
        event(out, f, row);
        empty_cells(out, c->count - c->column[row->thread] - 1);
        hd_text_add(out, "</tr>\n");
    }
    skipped(out, c, line->skipped);
}

static void timeline(struct hd_text *out, const struct columns *c, const struct hd_report_finding *f,
                     const struct hd_timeline *line, const char *title, const char *end, bool bad, bool cut)
{
    hd_markup(out, "<figure><figcaption>%s</figcaption>", title);
    hd_markup(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">", title);
    hd_markup(out, "<table class=\"tl\" style=\"min-width:%urem\"><thead><tr>", 7 * c->count);
    for (uint32_t i = 0; i < c->count; i++)
        hd_markup(out, "<th scope=\"col\">thread %s</th>", f->thread[c->thread[i]]);
    hd_text_add(out, "</tr></thead><tbody>\n");
    rows(out, c, f, line);
    if (cut)
        hd_markup(out, "<tr><td class=\"skipped\" colspan=\"%u\">&#8942; here the schedule ends, and the run goes on by"
                       " itself</td></tr>\n", c->count);
    hd_markup(out, "<tr class=\"end\"><td class=\"%s\" colspan=\"%u\">%s</td></tr>\n", bad ? "end-bad" : "", c->count,
              end);
    hd_text_add(out, "</tbody></table></div></figure>\n");
}

void hd_html_timelines(struct hd_text *out, const struct hd_report_finding *f)
{
    const struct hd_occurrence *o = &f->occurrence[0];
    struct columns c = columns_of(f);
    bool bad = o->rank == HD_RANK_FAILING, cut = !f->rerun;
    if (c.count) {
        hd_text_add(out, "<div class=\"runs\">\n");
        if (f->recorded.rows)
            timeline(out, &c, f, &f->recorded, "As recorded", "the test passed", false, false);
        if (f->failing.rows)
            timeline(out, &c, f, &f->failing, o->witness ? "Under the witness" : "As recorded", o->text, bad,
                     cut);
        hd_text_add(out, "</div>\n");
    }
    free(c.column);
    free(c.thread);
}
