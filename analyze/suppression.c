// SPDX-License-Identifier: Apache-2.0
#include "analyze/suppression.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/memory.h"

enum frame_kind { ANY_FRAMES, FUNCTION, OBJECT, SOURCE };

struct frame { enum frame_kind kind; char *pattern; };

struct suppression {
    char *name, *kind, *variable; /* variable: NULL for any */
    struct frame *frame;
    size_t frames, frame_room;
    char *path;
    size_t line; /* of its `{` */
    uint64_t used;
};

struct hd_suppressions { struct suppression *list; size_t count, room; };

struct hd_suppressions *hd_suppressions_new(void)
{
    return hd_alloc(sizeof(struct hd_suppressions));
}

static void clear(struct suppression *s)
{
    for (size_t i = 0; i < s->frames; i++)
        free(s->frame[i].pattern);
    free(s->frame);
    free(s->name);
    free(s->kind);
    free(s->variable);
    free(s->path);
}

void hd_suppressions_free(struct hd_suppressions *all)
{
    for (size_t i = 0; all && i < all->count; i++)
        clear(&all->list[i]);
    if (all)
        free(all->list);
    free(all);
}

/* ----------------------------------------------------------------- reading */

struct reader {
    const char *text, *end, *path;
    size_t line;
    char *word; /* the line at hand, without blanks around it */
    char *error;
    size_t error_size;
};

static int complain(struct reader *r, size_t line, const char *what, const char *word)
{
    char shown[44];
    size_t n = 0;
    for (; word && word[n] && n < 40; n++)
        shown[n] = isprint((unsigned char)word[n]) ? word[n] : '?';
    strcpy(shown + n, word && word[n] ? "..." : "");
    snprintf(r->error, r->error_size, word ? "%s:%zu: %s, not '%s'" : "%s:%zu: %s", r->path, line, what, shown);
    return -1;
}

/* The next line that says something. */
static bool next_line(struct reader *r)
{
    while (r->text < r->end) {
        const char *from = r->text, *newline = memchr(from, '\n', (size_t)(r->end - from));
        const char *to = newline ? newline : r->end;
        r->text = newline ? newline + 1 : r->end;
        r->line++;
        while (from < to && isspace((unsigned char)*from))
            from++;
        while (to > from && isspace((unsigned char)to[-1]))
            to--;
        if (from == to || *from == '#')
            continue;
        free(r->word);
        r->word = hd_format("%.*s", (int)(to - from > 4096 ? 4096 : to - from), from);
        return true;
    }
    return false;
}

static bool known_kind(const char *kind)
{
    static const char *const kinds[] = {"nondet", "atomicity", "race", "deadlock", "wakeup", "memory", "misuse", "*"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

/* "heddle:race", "Helgrind,heddle:race"; *mine where heddle is among the tools. */
static int read_kind(struct reader *r, struct suppression *s, bool *mine)
{
    char *colon = strchr(r->word, ':'), *rest = r->word, *tool;
    if (!colon || colon == r->word || !colon[1])
        return complain(r, r->line, "expected heddle:KIND", r->word);
    *colon = 0;
    *mine = false;
    while ((tool = strsep(&rest, ",")) != NULL)
        *mine |= strcmp(tool, "heddle") == 0;
    s->kind = hd_strdup(colon + 1);
    if (*mine && !known_kind(s->kind))
        return complain(r, r->line,
                        "a kind is nondet, atomicity, race, deadlock, wakeup, memory, misuse or *", s->kind);
    return 0;
}

static int read_frame(struct reader *r, struct suppression *s)
{
    static const struct { const char *prefix; enum frame_kind kind; } kinds[] = {
        {"fun:", FUNCTION}, {"obj:", OBJECT}, {"src:", SOURCE}};
    struct frame frame = {ANY_FRAMES, NULL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !frame.kind; i++)
        if (strncmp(r->word, kinds[i].prefix, 4) == 0)
            frame.kind = kinds[i].kind;
    if (!frame.kind && strcmp(r->word, "...") != 0)
        return complain(r, r->line, "expected fun:, obj:, src:, var:, ... or }", r->word);
    if (frame.kind && !r->word[4])
        return complain(r, r->line, "a name has to follow the colon", r->word);
    frame.pattern = hd_strdup(frame.kind ? r->word + 4 : "");
    HD_GROW(s->frame, s->frames, s->frame_room);
    s->frame[s->frames++] = frame;
    return 0;
}

/* Other tools have lines of their own. */
static int read_body(struct reader *r, struct suppression *s, bool mine)
{
    while (next_line(r)) {
        if (strcmp(r->word, "}") == 0) {
            bool vague = mine && !s->frames && !s->variable;
            return vague ? complain(r, r->line, "a suppression needs a var: or a frame; ... is any stack", NULL) : 0;
        }
        if (strcmp(r->word, "{") == 0)
            return complain(r, r->line, "the suppression before has no }", NULL);
        if (!mine)
            continue;
        if (strncmp(r->word, "var:", 4) == 0 && r->word[4] && !s->variable)
            s->variable = hd_strdup(r->word + 4);
        else if (read_frame(r, s) != 0)
            return -1;
    }
    return complain(r, s->line, "the file ends before the } of this suppression", NULL);
}

static int read_one(struct reader *r, struct suppression *s, bool *mine)
{
    s->path = hd_strdup(r->path);
    s->line = r->line;
    if (!next_line(r) || strcmp(r->word, "}") == 0 || strcmp(r->word, "{") == 0)
        return complain(r, s->line, "a suppression begins with a name", NULL);
    s->name = hd_strdup(r->word);
    if (!next_line(r))
        return complain(r, s->line, "the file ends before the } of this suppression", NULL);
    if (read_kind(r, s, mine) != 0)
        return -1;
    return read_body(r, s, *mine);
}

int hd_suppressions_parse(struct hd_suppressions *all, const char *text, size_t size, const char *path, char *error,
                          size_t error_size)
{
    struct reader r = {.text = text, .end = text + size, .path = path, .error = error, .error_size = error_size};
    int failed = memchr(text, 0, size) ? complain(&r, 1, "not a text file; suppressions are text", NULL) : 0;
    while (!failed && next_line(&r)) {
        struct suppression s = {0};
        bool mine = false;
        failed = strcmp(r.word, "{") != 0 ? complain(&r, r.line, "expected {", r.word) : read_one(&r, &s, &mine);
        if (failed || !mine) {
            clear(&s);
            continue;
        }
        HD_GROW(all->list, all->count, all->room);
        all->list[all->count++] = s;
    }
    free(r.word);
    return failed;
}

int hd_suppressions_read(struct hd_suppressions *all, const char *path, char *error, size_t error_size)
{
    size_t size;
    uint8_t *bytes = hd_file_read(path, &size, error, error_size);
    if (!bytes)
        return -1;
    int failed = hd_suppressions_parse(all, (const char *)bytes, size, path, error, error_size);
    free(bytes);
    return failed;
}

/* ---------------------------------------------------------------- matching */

/* * and ?; the last star is the only one that need be tried again. */
static bool like(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool like_source(const char *pattern, const Heddle__Anchor *a)
{
    char *with_line = hd_format("%s:%u", a->file, a->line);
    bool matches = like(pattern, a->file) || like(pattern, with_line);
    free(with_line);
    return matches;
}

static bool like_frame(const struct frame *f, const Heddle__Anchor *a)
{
    switch (f->kind) {
    case FUNCTION: return like(f->pattern, a->function);
    case OBJECT: return like(f->pattern, a->module);
    case SOURCE: return like_source(f->pattern, a);
    default: return true;
    }
}

/* Frames up to the next `...` from frame `at` of the stack; how many, or -1. */
static long like_run(const struct suppression *s, size_t from, const Heddle__Witness *w, const Heddle__Role *role,
                     size_t at)
{
    size_t i = from;
    for (; i < s->frames && s->frame[i].kind != ANY_FRAMES; i++, at++)
        if (at >= role->n_stack || !like_frame(&s->frame[i], w->anchor[role->stack[at] - 1]))
            return -1;
    return (long)(i - from);
}

/* Below the last pattern anything may follow, so the first place at which a run of frames fits will do. */
static bool like_stack(const struct suppression *s, const Heddle__Witness *w, const Heddle__Role *role)
{
    size_t pattern = 0, at = 0;
    bool anywhere = false;
    while (pattern < s->frames) {
        if (s->frame[pattern].kind == ANY_FRAMES) {
            anywhere = true;
            pattern++;
            continue;
        }
        long run = like_run(s, pattern, w, role, at);
        while (run < 0 && anywhere && at < role->n_stack)
            run = like_run(s, pattern, w, role, ++at);
        if (run < 0)
            return false;
        pattern += (size_t)run;
        at += (size_t)run;
        anywhere = false;
    }
    return true;
}

static bool matches(const struct suppression *s, const Heddle__Witness *w)
{
    const Heddle__Finding *f = w->finding;
    if ((strcmp(s->kind, "*") != 0 && strcmp(s->kind, f->kind) != 0) ||
        (s->variable && !like(s->variable, f->variable)))
        return false;
    for (size_t i = 0; i < f->n_role; i++)
        if (like_stack(s, w, f->role[i]))
            return true;
    return s->frames == 0;
}

bool hd_suppressions_match(struct hd_suppressions *all, const Heddle__Witness *w)
{
    for (size_t i = 0; i < all->count; i++)
        if (matches(&all->list[i], w)) {
            all->list[i].used++;
            return true;
        }
    return false;
}

char *hd_suppressions_unused(const struct hd_suppressions *all, size_t n)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct suppression *s = &all->list[i];
        if (!s->used && n-- == 0)
            return hd_format("%s:%zu: suppression '%s' was not used", s->path, s->line, s->name);
    }
    return NULL;
}

/* ----------------------------------------------------------------- writing */

/* Lines come and go: a number after a colon becomes a star. */
static char *without_lines(const char *text)
{
    char *copy = hd_strdup(text), *to = copy;
    for (const char *from = text; *from;) {
        *to++ = *from;
        if (*from++ != ':' || !isdigit((unsigned char)*from))
            continue;
        *to++ = '*';
        while (isdigit((unsigned char)*from))
            from++;
    }
    *to = 0;
    return copy;
}

static bool named(const char *name)
{
    return *name && strcmp(name, "?") != 0;
}

char *hd_suppression_words(const Heddle__Witness *w)
{
    const Heddle__Finding *f = w->finding;
    char *variable = without_lines(f->variable), *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        free(variable);
        return hd_strdup("");
    }
    fprintf(out, "{\n   %s\n   heddle:%s\n", named(f->title) ? f->title : f->kind, f->kind);
    if (named(variable))
        fprintf(out, "   var:%s\n", variable);
    const Heddle__Role *role = f->n_role ? f->role[0] : NULL;
    for (size_t i = 0; role && i < role->n_stack; i++) {
        const Heddle__Anchor *a = w->anchor[role->stack[i] - 1];
        if (i && !named(a->function))
            break; /* who called the user's code is no part of the finding */
        fprintf(out, named(a->function) ? "   fun:%s\n" : "   obj:%s\n", named(a->function) ? a->function : a->module);
    }
    if (!role || !role->n_stack)
        fputs("   ...\n", out);
    fputs("}\n", out);
    fclose(out);
    free(variable);
    return text;
}
