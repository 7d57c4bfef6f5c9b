/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/stuck.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "symbols/symbols.h"

#define FRAMES_SHOWN 16

struct hold { uint32_t thread, object; size_t position; };

struct scene {
    const struct hd_trace *trace;
    struct hd_symbols *symbols;
    struct hold *hold; /* at the end */
    size_t holds, room;
    size_t *waits;     /* by thread: position of the event that says so, SIZE_MAX: it does not wait */
};

void hd_lines_add(struct hd_lines *l, char *line)
{
    HD_GROW(l->line, l->count, l->room);
    l->line[l->count++] = line;
}

void hd_lines_free(struct hd_lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->line[i]);
    free(l->line);
    *l = (struct hd_lines){ 0 };
}

/* ------------------------------------------------------------ who holds what */

static void release(struct scene *s, uint32_t thread, uint32_t object)
{
    for (size_t i = s->holds; i-- > 0;)
        if (s->hold[i].thread == thread && s->hold[i].object == object) {
            memmove(&s->hold[i], &s->hold[i + 1], (s->holds - i - 1) * sizeof *s->hold);
            s->holds--;
            return;
        }
}

static void follow(struct scene *s, size_t position)
{
    const struct hd_event *e = &s->trace->event[position];
    switch (e->kind) {
    case HD_LOCK:
    case HD_RDLOCK:
    case HD_WRLOCK:
        HD_GROW(s->hold, s->holds, s->room);
        s->hold[s->holds++] = (struct hold){ e->thread, e->object, position };
        break;
    case HD_UNLOCK:
    case HD_RWUNLOCK: release(s, e->thread, e->object); break;
    case HD_COND_WAIT:
        if (e->value)
            release(s, e->thread, (uint32_t)e->value - 1);
        break;
    default: break;
    }
}

static void open_scene(struct scene *s, const struct hd_trace *t)
{
    *s = (struct scene){ .trace = t, .symbols = hd_symbols_new(t) };
    s->waits = hd_alloc((t->threads + 1) * sizeof *s->waits);
    for (size_t i = 0; i < t->threads; i++)
        s->waits[i] = SIZE_MAX;
    for (size_t i = 0; i < t->events; i++) {
        follow(s, i);
        s->waits[t->event[i].thread] = t->event[i].kind == HD_BLOCKED ? i : SIZE_MAX;
    }
}

static void close_scene(struct scene *s)
{
    hd_symbols_free(s->symbols);
    free(s->hold);
    free(s->waits);
}

/* ------------------------------------------------------------ words */

static char *bare_place(struct scene *s, uint32_t site)
{
    const struct hd_place *p = site < s->trace->sites ? hd_symbols_place(s->symbols, site) : NULL;
    return p && *p->file ? hd_format("%s:%" PRIu32, p->file, p->line) : hd_strdup("");
}

static char *place(struct scene *s, uint32_t site)
{
    char *bare = bare_place(s, site), *text = *bare ? hd_format(" (%s)", bare) : hd_strdup("");
    free(bare);
    return text;
}

static void append(char **text, char *more)
{
    char *longer = hd_format("%s%s", *text, more);
    free(*text);
    free(more);
    *text = longer;
}

static char *wait_words(struct scene *s, const struct hd_event *e)
{
    const struct hd_trace *t = s->trace;
    char *at = place(s, e->site), *text;
    if (e->object < t->objects)
        text = hd_format("%s waits for `%s`%s", t->thread[e->thread].path, hd_symbols_object(s->symbols, e->object), at);
    else
        text = hd_format("%s waits to %s%s", t->thread[e->thread].path, hd_kind_word((unsigned)e->value), at);
    free(at);
    if (e->value == HD_COND_WAKE)
        append(&text, hd_strdup(", and nobody is left to wake it"));
    return text;
}

static void add_holds(struct scene *s, uint32_t thread, char **text)
{
    const char *glue = "; holds ";
    for (size_t i = 0; i < s->holds; i++) {
        if (s->hold[i].thread != thread || s->hold[i].object >= s->trace->objects)
            continue;
        char *at = place(s, s->trace->event[s->hold[i].position].site);
        append(text, hd_format("%s`%s`%s", glue, hd_symbols_object(s->symbols, s->hold[i].object), at));
        free(at);
        glue = ", ";
    }
}

static bool is_ours(const struct hd_trace *t, uint32_t site)
{
    uint32_t module = site < t->sites ? t->site[site].module : HD_NO_INDEX;
    if (module >= t->modules)
        return true;
    const char *path = t->module[module].path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return strncmp(name, "libheddle.so", 12) == 0 || strncmp(name, "libffi.so", 9) == 0;
}

static void add_stack(struct scene *s, const struct hd_event *e, struct hd_lines *lines)
{
    const struct hd_trace *t = s->trace;
    uint32_t site = e->site, node = e->stack;
    for (unsigned shown = 0; shown < FRAMES_SHOWN;) {
        const struct hd_place *p = is_ours(t, site) ? NULL : hd_symbols_place(s->symbols, site);
        if (p && strcmp(p->function, "?") != 0) {
            char *at = place(s, site);
            hd_lines_add(lines, hd_format("    #%u %s%s", shown++, p->function, at));
            free(at);
        }
        if (node >= t->stacks)
            break;
        site = t->stack[node].site;
        node = t->stack[node].parent;
    }
}

/* ------------------------------------------------------------ the cycle */

/* Does the thread hold what that event waits for? Readers do not wait for readers. */
static bool holds(const struct scene *s, uint32_t thread, const struct hd_event *waits)
{
    for (size_t i = 0; i < s->holds; i++) {
        const struct hold *h = &s->hold[i];
        bool reads = waits->value == HD_RDLOCK && s->trace->event[h->position].kind == HD_RDLOCK;
        if (h->thread == thread && h->object == waits->object && !reads)
            return true;
    }
    return false;
}

/* It waits to write what the other waits to read. */
static bool goes_first(const struct scene *s, uint32_t thread, const struct hd_event *reader)
{
    const struct hd_event *e = s->waits[thread] == SIZE_MAX ? NULL : &s->trace->event[s->waits[thread]];
    return e && reader->value == HD_RDLOCK && e->value == HD_WRLOCK && e->object == reader->object;
}

/* Who holds what `thread` waits for, or waits to write it, after `before`; HD_NO_INDEX: nobody else. */
static uint32_t holder_after(const struct scene *s, uint32_t thread, uint32_t before)
{
    const struct hd_event *e = &s->trace->event[s->waits[thread]];
    for (uint32_t t = before == HD_NO_INDEX ? 0 : before + 1; e->object < s->trace->objects && t < s->trace->threads; t++)
        if (holds(s, t, e) || goes_first(s, t, e))
            return t;
    return HD_NO_INDEX;
}

struct walk { const struct scene *scene; uint32_t *path; size_t length; bool *seen; };

/* Is there a way from the path's end back to its beginning? */
static bool closes(struct walk *w)
{
    uint32_t last = w->path[w->length - 1], next = HD_NO_INDEX;
    if (w->scene->waits[last] == SIZE_MAX)
        return false;
    while ((next = holder_after(w->scene, last, next)) != HD_NO_INDEX) {
        if (next == w->path[0])
            return true;
        if (w->seen[next])
            continue;
        w->seen[next] = true;
        w->path[w->length++] = next;
        if (closes(w))
            return true;
        w->length--;
    }
    return false;
}

static bool add_cycle(const struct scene *s, struct hd_lines *lines)
{
    const struct hd_trace *t = s->trace;
    struct walk w = { .scene = s };
    bool found = false;
    w.path = hd_alloc((t->threads + 1) * sizeof *w.path);
    w.seen = hd_alloc(t->threads + 1);
    for (uint32_t i = 0; i < t->threads && !found; i++) {
        memset(w.seen, 0, t->threads);
        w.path[0] = i;
        w.length = 1;
        found = closes(&w);
    }
    if (found) {
        char *text = hd_strdup("the cycle: ");
        for (size_t i = 0; i < w.length; i++)
            append(&text, hd_format("%s -> ", t->thread[w.path[i]].path));
        append(&text, hd_strdup(t->thread[w.path[0]].path));
        hd_lines_add(lines, text);
    }
    free(w.path);
    free(w.seen);
    return found;
}

struct hd_stuck hd_stuck_describe(const struct hd_trace *t, struct hd_lines *lines)
{
    struct hd_stuck stuck = { 0 };
    struct scene s;
    open_scene(&s, t);
    stuck.cycle = add_cycle(&s, lines);
    for (uint32_t i = 0; i < t->threads; i++) {
        if (s.waits[i] == SIZE_MAX)
            continue;
        const struct hd_event *e = &t->event[s.waits[i]];
        char *text = wait_words(&s, e);
        add_holds(&s, i, &text);
        hd_lines_add(lines, text);
        add_stack(&s, e, lines);
        stuck.wakeup |= e->value == HD_COND_WAKE;
    }
    close_scene(&s);
    return stuck;
}

char *hd_taken_at(const struct hd_trace *t, uint32_t thread, uint32_t object)
{
    struct scene s;
    char *words = NULL;
    open_scene(&s, t);
    for (size_t i = 0; i < s.holds && !words; i++)
        if (s.hold[i].thread == thread && s.hold[i].object == object)
            words = bare_place(&s, t->event[s.hold[i].position].site);
    close_scene(&s);
    return words ? words : hd_strdup("");
}
