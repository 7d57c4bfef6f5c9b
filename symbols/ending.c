/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/ending.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/heddle.pb-c.h"
#include "proto/memory.h"
#include "symbols/symbols.h"

static char *place_words(struct hd_symbols *s, const struct hd_trace *t, uint32_t site)
{
    if (site >= t->sites)
        return hd_strdup("");
    const struct hd_place *p = hd_symbols_place(s, site);
    if (*p->file)
        return hd_format(" (%s:%" PRIu32 ")", p->file, p->line);
    return strcmp(p->function, "?") ? hd_format(" (in %s)", p->function) : hd_strdup("");
}

char *hd_ending_place(const struct hd_trace *t, uint64_t pc)
{
    for (size_t i = 0; pc && i < t->sites; i++) {
        uint32_t m = t->site[i].module;
        if (m >= t->modules || t->module[m].base + t->site[i].offset != pc)
            continue;
        struct hd_symbols *s = hd_symbols_new(t);
        char *words = place_words(s, t, (uint32_t)i);
        hd_symbols_free(s);
        return words;
    }
    return hd_strdup("");
}

static uint32_t owner_of(const struct hd_trace *t, uint32_t object)
{
    uint32_t owner = HD_NO_INDEX;
    for (size_t i = 0; i < t->events; i++) {
        if (t->event[i].object != object)
            continue;
        if (t->event[i].kind == HD_LOCK)
            owner = t->event[i].thread;
        if (t->event[i].kind == HD_UNLOCK)
            owner = HD_NO_INDEX;
    }
    return owner;
}

/* The thread's last event, where that says it waits. */
static const struct hd_event *waiting_at(const struct hd_trace *t, uint32_t thread)
{
    for (size_t i = t->events; i-- > 0;)
        if (t->event[i].thread == thread)
            return t->event[i].kind == HD_BLOCKED ? &t->event[i] : NULL;
    return NULL;
}

static void append(char **text, char *more)
{
    char *longer = hd_format("%s%s", *text, more);
    free(*text);
    free(more);
    *text = longer;
}

static char *wait_words(struct hd_symbols *s, const struct hd_trace *t, const struct hd_event *e, bool first)
{
    char *place = place_words(s, t, e->site), *text;
    const char *path = t->thread[e->thread].path, *glue = first ? "" : "; ";
    if (e->object < t->objects) {
        uint32_t owner = owner_of(t, e->object);
        text = hd_format("%s%s waits for `%s`%s%s%s%s", glue, path, hd_symbols_object(s, e->object), place,
                         owner < t->threads ? ", which " : "", owner < t->threads ? t->thread[owner].path : "",
                         owner < t->threads ? " holds" : "");
    } else
        text = hd_format("%s%s waits to %s%s", glue, path, hd_kind_word((unsigned)e->value), place);
    free(place);
    return text;
}

static char *deadlock_words(struct hd_symbols *s, const struct hd_trace *t)
{
    char *text = hd_strdup("deadlock: ");
    bool first = true;
    for (uint32_t i = 0; i < t->threads; i++) {
        const struct hd_event *e = waiting_at(t, i);
        if (!e)
            continue;
        append(&text, wait_words(s, t, e, first));
        first = false;
    }
    return text;
}

static char *assertion_words(const struct hd_trace *t)
{
    for (size_t i = 0; i < t->notes; i++) {
        const struct hd_note *n = &t->note[i];
        const char *slash = n->failed && n->file ? strrchr(n->file, '/') : NULL;
        if (n->failed)
            return hd_format("%s failed (%s:%u)", n->text, slash ? slash + 1 : n->file, n->line);
    }
    return hd_strdup("the test failed");
}

static char *crash_words(struct hd_symbols *s, const struct hd_trace *t)
{
    const struct hd_event *last = t->events ? &t->event[t->events - 1] : NULL;
    char *place = last ? place_words(s, t, last->site) : hd_strdup("");
    char *text = hd_format("%s%s%s", strsignal((int)t->detail), *place ? " near" : "", place);
    free(place);
    return text;
}

char *hd_ending_words(const struct hd_trace *t)
{
    struct hd_symbols *s = hd_symbols_new(t);
    char *text;
    switch (t->outcome) {
    case HEDDLE__OUTCOME__PASSED: text = hd_strdup("the test passed"); break;
    case HEDDLE__OUTCOME__ASSERTION_FAILED: text = assertion_words(t); break;
    case HEDDLE__OUTCOME__CRASHED: text = crash_words(s, t); break;
    case HEDDLE__OUTCOME__EXITED: text = hd_format("exit status %u", t->detail); break;
    case HEDDLE__OUTCOME__DEADLOCKED: text = deadlock_words(s, t); break;
    case HEDDLE__OUTCOME__TIMED_OUT: text = hd_strdup("time ran out"); break;
    default: text = hd_strdup("killed"); break;
    }
    hd_symbols_free(s);
    return text;
}
