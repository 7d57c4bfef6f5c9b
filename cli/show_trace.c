/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "symbols/symbols.h"

static const char *label(const struct hd_trace *t, uint64_t thread)
{
    if (thread >= t->threads)
        return "?";
    return t->thread[thread].name ? t->thread[thread].name : t->thread[thread].path;
}

static void show_notes(const struct hd_trace *t, size_t position, size_t *next)
{
    for (; *next < t->notes && t->note[*next].position <= position; ++*next) {
        const struct hd_note *note = &t->note[*next];
        if (note->position != position)
            continue;
        printf("%8s  %s%s", "", note->failed ? "FAILED: " : "", note->text);
        if (*note->file)
            printf(" (%s:%u)", note->file, note->line);
        putchar('\n');
    }
}

/* What the event is about, where that is not a datum or an object alone. */
static void show_more(const struct hd_trace *t, struct hd_symbols *symbols, const struct hd_event *e)
{
    static const char *const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    switch (e->kind) {
    case HD_CREATE:
    case HD_JOIN:
    case HD_JOIN_FAIL:
    case HD_DETACH:
    case HD_CANCEL: printf(" %s", label(t, e->value)); break;
    case HD_LOCK_TIMEOUT: printf(" (%s)", hd_kind_word((unsigned)e->value)); break;
    case HD_COND_WAIT:
        if (e->value)
            printf(", releasing %s", hd_symbols_object(symbols, (uint32_t)(e->value - 1)));
        break;
    case HD_COND_WAKE: fputs(e->value ? "" : " (timed out)", stdout); break;
    case HD_BARRIER_ENTER:
    case HD_BARRIER_EXIT: printf(", generation %llu", (unsigned long long)e->value); break;
    case HD_SEM_WAIT:
        if (e->value)
            printf(" (its count was %llu)", (unsigned long long)(e->value - 1));
        break;
    case HD_SLEEP: printf(" %g ms", (double)e->value / 1e6); break;
    case HD_FENCE:
        if (e->value < sizeof orders / sizeof *orders)
            printf(" %s", orders[e->value]);
        break;
    case HD_HANDLER: printf(" %llu", (unsigned long long)e->value); break;
    case HD_ASSERT: fputs(e->value ? " held" : " failed", stdout); break;
    default: break;
    }
}

static void show_value(const struct hd_trace *t, const struct hd_event *e)
{
    bool valued = e->kind == HD_READ || e->kind == HD_WRITE || e->kind == HD_UNSEEN_WRITE || hd_kind_is_atomic(e->kind);
    if (!valued || !t->has_values)
        return;
    if (t->last_unknown && e == &t->event[t->events - 1])
        printf(" = ?");
    else if (e->kind == HD_ATOMIC_RMW)
        printf(" = %llu -> %llu", (unsigned long long)e->value, (unsigned long long)e->second);
    else
        printf(" = %llu", (unsigned long long)e->value);
    if (e->kind == HD_ATOMIC_LOAD && e->k)
        printf(" (%u more before)", e->k);
}

static void show_event(const struct hd_trace *t, struct hd_symbols *symbols, size_t position)
{
    const struct hd_event *e = &t->event[position];
    const struct hd_place *place = hd_symbols_place(symbols, e->site);
    printf("%8zu  %*s%s %s", position, hd_show_column(e->thread, t->threads), "", label(t, e->thread),
           hd_kind_word(e->kind));
    if (e->kind == HD_BLOCKED)
        printf(" before %s", hd_kind_word((unsigned)e->value));
    if (e->object != HD_NO_INDEX)
        printf(" %s", hd_symbols_object(symbols, e->object));
    else if (hd_kind_is_access(e->kind) || e->kind == HD_UNSEEN_WRITE || e->kind == HD_EXPECT_RACE ||
             hd_kind_is_atomic(e->kind))
        printf(" %s", hd_symbols_datum(symbols, position));
    show_more(t, symbols, e);
    show_value(t, e);
    if (strcmp(place->function, "?") != 0)
        printf("  %s", place->function);
    if (*place->file)
        printf("  %s", place->file);
    if (place->has_line)
        printf(":%u", place->line);
    putchar('\n');
}

static void show_outcome(const struct hd_trace *t)
{
    printf("outcome  %s", hd_outcome_word(t->outcome));
    if (t->detail)
        printf(" %u", t->detail);
    printf("%s%s\n", *t->outcome_text ? ": " : "", t->outcome_text);
}

void hd_show_trace(const struct hd_trace *t)
{
    printf("program  %s\n", *t->program ? t->program : "(imported)");
    printf("test     %s%s%s\n", t->suite, *t->suite ? "/" : "", t->test);
    printf("threads  %zu\n", t->threads);
    for (size_t i = 0; i < t->threads; i++)
        if (t->thread[i].name)
            printf("         %s is %s\n", t->thread[i].name, t->thread[i].path);
    printf("events   %zu%s\n", t->events, t->truncated ? " (cut)" : "");
    if (t->reduced)
        printf("reduced  after a budget, %s\n",
               t->capped ? "accesses to shared words only, then none" : "accesses to shared words only");
    else if (t->capped)
        printf("reduced  after a size, no accesses\n");
    show_outcome(t);
    putchar('\n');
    struct hd_symbols *symbols = hd_symbols_new(t);
    size_t next_note = 0;
    for (size_t i = 0; i < t->events; i++) {
        show_event(t, symbols, i);
        show_notes(t, i, &next_note);
    }
    hd_symbols_free(symbols);
}

void hd_show_stats(const struct hd_trace *t, size_t bytes)
{
    size_t count[HD_KIND_COUNT] = {0};
    for (size_t i = 0; i < t->events; i++)
        count[t->event[i].kind]++;
    printf("events   %zu%s\n", t->events, t->truncated ? " (cut)" : "");
    printf("bytes    %zu", bytes);
    if (t->events)
        printf(" (%.2f per event)", (double)bytes / (double)t->events);
    printf("\nthreads  %zu\nobjects  %zu\nnotes    %zu\n", t->threads, t->objects, t->notes);
    show_outcome(t);
    putchar('\n');
    for (unsigned kind = 0; kind < HD_KIND_COUNT; kind++)
        if (count[kind])
            printf("%8zu  %s\n", count[kind], hd_kind_word(kind));
}
