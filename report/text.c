/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

#define REPLACEMENT "\xef\xbf\xbd"

static void add_bytes(struct hd_text *t, const char *s, size_t length)
{
    if (t->used + length + 1 > t->room) {
        t->room = (t->used + length + 1) * 2;
        t->s = hd_realloc(t->s, t->room, 1);
    }
    memcpy(t->s + t->used, s, length);
    t->used += length;
    t->s[t->used] = 0;
}

void hd_text_add(struct hd_text *t, const char *s)
{
    add_bytes(t, s, strlen(s));
}

void hd_text_free(struct hd_text *t)
{
    free(t->s);
    *t = (struct hd_text){0};
}

/* Bytes of the character at `s`, 0 where it is none that may stand in a report. */
static size_t character(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    if (u[0] < 0x80)
        return u[0] >= 0x20 ? u[0] != 0x7f : u[0] == '\t' || u[0] == '\n';
    size_t length = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4)
        return 0;
    unsigned long code = u[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (u[i] & 0x3f);
    }
    bool small = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool invalid = (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff || code > 0x10ffff;
    bool control = code >= 0x80 && code < 0xa0;
    return small || invalid || control ? 0 : length;
}

static const char *entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static void add_escaped(struct hd_text *t, const char *s, bool markup)
{
    while (*s) {
        size_t length = character(s);
        const char *name = markup ? entity(*s) : NULL;
        if (!length)
            hd_text_add(t, REPLACEMENT);
        else if (name)
            hd_text_add(t, name);
        else
            add_bytes(t, s, length);
        s += length ? length : 1;
    }
}

static const char *add_argument(struct hd_text *t, const char *directive, va_list *args)
{
    char digits[24];
    switch (*directive) {
    case 's': add_escaped(t, va_arg(*args, const char *), true); return directive + 1;
    case 'u': snprintf(digits, sizeof digits, "%u", va_arg(*args, unsigned)); break;
    case 'z': snprintf(digits, sizeof digits, "%zu", va_arg(*args, size_t)); directive++; break;
    default: snprintf(digits, sizeof digits, "%c", *directive); break;
    }
    hd_text_add(t, digits);
    return directive + 1;
}

void hd_markup(struct hd_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    while (*fmt) {
        size_t plain = strcspn(fmt, "%");
        add_bytes(t, fmt, plain);
        fmt += plain;
        if (*fmt)
            fmt = add_argument(t, fmt + 1, &args);
    }
    va_end(args);
}

char *hd_clean(const char *s)
{
    struct hd_text t = {0};
    hd_text_add(&t, "");
    add_escaped(&t, s, false);
    return t.s;
}

char *hd_shell_word(const char *s)
{
    struct hd_text t = {0};
    if (*s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-") == strlen(s))
        return hd_strdup(s);
    hd_text_add(&t, "'");
    for (; *s; s++)
        if (*s == '\'')
            hd_text_add(&t, "'\\''");
        else
            add_bytes(&t, s, 1);
    hd_text_add(&t, "'");
    return t.s;
}

char *hd_uri_path(const char *s)
{
    struct hd_text t = {0};
    hd_text_add(&t, "");
    for (; *s; s++) {
        char code[4];
        unsigned char c = (unsigned char)*s;
        if (c < 0x80 && (isalnum(c) || strchr("/-._~", c)))
            add_bytes(&t, s, 1);
        else {
            snprintf(code, sizeof code, "%%%02X", c);
            hd_text_add(&t, code);
        }
    }
    return t.s;
}
