/* SPDX-License-Identifier: Apache-2.0 */
#include "report/row_words.h"

#include <stdlib.h>

#include "proto/memory.h"

bool hd_is_address(uint64_t value, unsigned size)
{
    return size == 8 && value >= 1ull << 44 && value < 1ull << 48;
}

const char *hd_value_words(struct hd_strings *strings, uint64_t value, unsigned size)
{
    if (hd_is_address(value, size))
        return "an address";
    return hd_keep(strings, hd_format("%llu", (unsigned long long)value));
}

bool hd_row_has_value(const struct hd_trace *t, uint64_t position)
{
    unsigned kind = t->event[position].kind;
    bool unknown = t->last_unknown && position + 1 == t->events;
    return t->has_values && !unknown && (kind == HD_READ || kind == HD_WRITE || hd_kind_is_atomic(kind));
}

static const char *note_at(const struct hd_trace *t, uint64_t position)
{
    size_t low = 0, high = t->notes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->note[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->notes && t->note[low].position == position ? t->note[low].text : "";
}

static char *about_thread(const struct hd_trace *t, const struct hd_event *e)
{
    return hd_format("%s %s", hd_kind_word(e->kind), e->value < t->threads ? t->thread[e->value].path : "?");
}

static char *wait_words(struct hd_seen_run run, const struct hd_event *e, unsigned kind)
{
    if (e->object < run.trace->objects)
        return hd_format("waits to %s `%s`", hd_kind_word(kind), hd_symbols_object(run.symbols, e->object));
    if (e->kind == HD_JOIN && e->value < run.trace->threads)
        return hd_format("waits to join %s", run.trace->thread[e->value].path);
    return hd_format("waits to %s", hd_kind_word(kind));
}

static char *words_of(const struct hd_row *row, struct hd_seen_run run)
{
    const struct hd_event *e = &run.trace->event[row->position];
    const char *note = note_at(run.trace, row->position);
    if (row->waits)
        return wait_words(run, e, e->kind);
    switch (e->kind) {
    case HD_CREATE:
    case HD_JOIN:
    case HD_JOIN_FAIL:
    case HD_DETACH:
    case HD_CANCEL: return about_thread(run.trace, e);
    case HD_BLOCKED: return wait_words(run, e, (unsigned)e->value);
    case HD_ASSERT: return hd_format("%s %s", *note ? note : "assertion", e->value ? "held" : "failed");
    default: break;
    }
    if (hd_kind_is_access(e->kind) || hd_kind_is_atomic(e->kind))
        return hd_format("%s `%s`", hd_kind_word(e->kind), hd_symbols_datum(run.symbols, row->position));
    if (e->object < run.trace->objects)
        return hd_format("%s `%s`", hd_kind_word(e->kind), hd_symbols_object(run.symbols, e->object));
    return hd_format("%s%s%s", hd_kind_word(e->kind), *note ? ": " : "", note);
}

void hd_row_words(struct hd_row *row, struct hd_seen_run run, struct hd_strings *strings)
{
    const struct hd_event *e = &run.trace->event[row->position];
    row->words = hd_keep(strings, words_of(row, run));
    row->place = hd_place_of_site(strings, run.trace, run.symbols, e->site);
    row->value = NULL;
    if (!row->has_value)
        return;
    row->value = hd_value_words(strings, row->number, e->size);
    if (e->kind != HD_ATOMIC_RMW)
        return;
    const char *written = hd_value_words(strings, e->second, e->size);
    row->value = hd_keep(strings, hd_format("%s, then %s", row->value, written));
}
