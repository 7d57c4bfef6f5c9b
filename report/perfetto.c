/* SPDX-License-Identifier: Apache-2.0
 * heddle.perfetto.json: trace events as ui.perfetto.dev reads them. Each failing finding is a process
 * for the recorded run and one for the witness's, with a track a thread; a row takes one microsecond,
 * and a hand-over is a flow. */
#include <stdlib.h>

#include "proto/memory.h"
#include "report/formats.h"
#include "report/json_text.h"

struct writer { json_t *events; unsigned process, flow; };

static json_t *event(const struct writer *w, const char *phase, const char *name, unsigned thread)
{
    json_t *o = json_object();
    hd_json_add(o, "ph", json_string(phase));
    hd_json_add(o, "name", hd_json_text(name));
    hd_json_add(o, "pid", json_integer(w->process));
    hd_json_add(o, "tid", json_integer(thread));
    return o;
}

static void add_name(const struct writer *w, const char *what, const char *name, unsigned thread)
{
    json_t *o = event(w, "M", what, thread), *arguments = json_object();
    hd_json_add(arguments, "name", hd_json_text(name));
    hd_json_add(o, "args", arguments);
    json_array_append_new(w->events, o);
}

static void add_row(const struct writer *w, const struct hd_row *row, size_t at)
{
    json_t *o = event(w, "X", row->words, row->thread + 1), *arguments = json_object();
    char *place = hd_source_place_words(&row->place);
    hd_json_add(o, "ts", json_integer((json_int_t)at));
    hd_json_add(o, "dur", json_integer(1));
    hd_json_add(o, "cat", json_string(row->differs || row->failed || row->waits ? "differs" : "event"));
    hd_json_add_text(arguments, "value", row->value);
    hd_json_add_text(arguments, "place", place);
    hd_json_add_text(arguments, "role", row->role);
    hd_json_add(o, "args", arguments);
    json_array_append_new(w->events, o);
    free(place);
}

static void add_hand_over(struct writer *w, unsigned from, unsigned to, size_t at)
{
    json_t *start = event(w, "s", "hands over", from + 1), *finish = event(w, "f", "hands over", to + 1);
    w->flow++;
    for (int i = 0; i < 2; i++) {
        json_t *o = i ? finish : start;
        hd_json_add(o, "cat", json_string("hand-over"));
        hd_json_add(o, "id", json_integer(w->flow));
        hd_json_add(o, "ts", json_integer((json_int_t)at - !i));
    }
    hd_json_add(finish, "bp", json_string("e"));
    json_array_append_new(w->events, start);
    json_array_append_new(w->events, finish);
}

static void add_run(struct writer *w, const struct hd_report_finding *f, const struct hd_timeline *line, const char *run)
{
    if (!line->rows)
        return;
    char *name = hd_format("%s: %s", f->title, run);
    w->process++;
    add_name(w, "process_name", name, 0);
    free(name);
    for (uint32_t i = 0; i < f->threads; i++) {
        name = hd_format("thread %s", f->thread[i]);
        add_name(w, "thread_name", name, i + 1);
        free(name);
    }
    for (size_t i = 0; i < line->rows; i++) {
        add_row(w, &line->row[i], i);
        if (i && line->row[i].thread != line->row[i - 1].thread)
            add_hand_over(w, line->row[i - 1].thread, line->row[i].thread, i);
    }
}

void hd_report_perfetto(const struct hd_report *r, struct hd_text *out)
{
    struct writer w = {.events = json_array()};
    json_t *o = json_object();
    for (size_t i = 0; i < r->findings; i++) {
        if (r->finding[i].occurrence[0].rank != HD_RANK_FAILING)
            continue;
        add_run(&w, &r->finding[i], &r->finding[i].recorded, "as recorded");
        add_run(&w, &r->finding[i], &r->finding[i].failing, "as it fails");
    }
    hd_json_add(o, "displayTimeUnit", json_string("ns"));
    hd_json_add(o, "traceEvents", w.events);
    hd_json_put(out, o);
}
