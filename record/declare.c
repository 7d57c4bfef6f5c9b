/* SPDX-License-Identifier: Apache-2.0 */
#include "record/declare.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct parser {
    char text[HD_DECLARED_LINE];
    char *at;
    char *error;
    size_t error_size;
};

static bool bad(struct parser *p, const char *what, const char *word)
{
    snprintf(p->error, p->error_size, word ? "%s '%s'" : "%s", what, word);
    return false;
}

static void skip_blanks(struct parser *p)
{
    p->at += strspn(p->at, " \t");
}

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

static bool is_word(const char *s, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(s, word, length) == 0;
}

static bool take_kind(struct parser *p, struct hd_declaration *d)
{
    static const char *const kinds[] = { "acquire", "release", "try", "signal", "wait" };
    skip_blanks(p);
    size_t length = word_length(p->at);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_word(p->at, length, kinds[i])) {
            d->kind = (enum hd_declared_kind)i;
            p->at += length;
            return true;
        }
    p->at[length] = 0;
    return bad(p, "a declaration begins with acquire, release, try, signal or wait, not", p->at);
}

struct words { bool is_unsigned, is_pointer; unsigned longs, shorts, others; enum hd_c_type base; };

static bool take_type_word(struct words *w, const char *s, size_t length)
{
    static const struct { const char *word; enum hd_c_type type; } bases[] = {
        { "void", HD_C_VOID },      { "int", HD_C_INT },        { "char", HD_C_CHAR },      { "ptr", HD_C_POINTER },
        { "float", HD_C_FLOAT },    { "double", HD_C_DOUBLE },  { "bool", HD_C_UCHAR },     { "_Bool", HD_C_UCHAR },
        { "size_t", HD_C_ULONG },   { "ssize_t", HD_C_LONG },   { "intptr_t", HD_C_LONG },  { "uintptr_t", HD_C_ULONG },
        { "int8_t", HD_C_CHAR },    { "uint8_t", HD_C_UCHAR },  { "int16_t", HD_C_SHORT },  { "uint16_t", HD_C_USHORT },
        { "int32_t", HD_C_INT },    { "uint32_t", HD_C_UINT },  { "int64_t", HD_C_LONG },   { "uint64_t", HD_C_ULONG },
    };
    if (is_word(s, length, "unsigned"))
        return w->is_unsigned = true;
    if (is_word(s, length, "long"))
        return ++w->longs <= 2;
    if (is_word(s, length, "short"))
        return ++w->shorts <= 1;
    if (is_word(s, length, "signed") || is_word(s, length, "const") || is_word(s, length, "volatile"))
        return true;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (is_word(s, length, bases[i].word)) {
            w->base = bases[i].type;
            return ++w->others == 1;
        }
    return false;
}

/* A pointer may name what it points to; everything else must be known. */
static bool type_of(struct parser *p, char *text, enum hd_c_type *type)
{
    struct words w = { .base = HD_C_INT };
    char *unknown = NULL;
    size_t unknown_length = 0, count = 0;
    for (char *s = text; *s;) {
        size_t length = word_length(s);
        if (length && !take_type_word(&w, s, length)) {
            unknown = s;
            unknown_length = length;
        }
        w.is_pointer |= !length && *s == '*';
        if (!length && *s != '*' && *s != ' ' && *s != '\t')
            return bad(p, "not a type:", text);
        count += length != 0;
        s += length ? length : 1;
    }
    if (count == 0)
        return bad(p, "a type is missing", NULL);
    if (w.is_pointer)
        return *type = HD_C_POINTER, true;
    if (unknown) {
        unknown[unknown_length] = 0;
        return bad(p, "unknown type", unknown);
    }
    *type = w.base;
    if (w.longs && w.base == HD_C_INT)
        *type = HD_C_LONG;
    if (w.shorts && w.base == HD_C_INT)
        *type = HD_C_SHORT;
    if (w.is_unsigned && *type >= HD_C_CHAR && *type <= HD_C_ULONG && (*type - HD_C_CHAR) % 2 == 0)
        *type = (enum hd_c_type)(*type + 1);
    return true;
}

/* "TYPE NAME(": the name is the last word before the parenthesis. */
static bool take_result_and_name(struct parser *p, struct hd_declaration *d)
{
    char *open = strchr(p->at, '('), *end = open;
    if (!open)
        return bad(p, "NAME(TYPES) is missing", NULL);
    while (end > p->at && isblank((unsigned char)end[-1]))
        end--;
    char *name = end;
    while (name > p->at && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
        name--;
    size_t length = (size_t)(end - name);
    if (length == 0 || isdigit((unsigned char)*name) || length >= sizeof d->name)
        return bad(p, "no function's name before '('", NULL);
    memcpy(d->name, name, length);
    d->name[length] = 0;
    *name = 0;
    if (!type_of(p, p->at, &d->result))
        return false;
    p->at = open + 1;
    return true;
}

static bool take_arguments(struct parser *p, struct hd_declaration *d)
{
    char *close = strchr(p->at, ')');
    if (!close)
        return bad(p, "')' is missing", NULL);
    *close = 0;
    char *rest = p->at, *one;
    bool none = rest[strspn(rest, " \t")] == 0 || strcmp(rest + strspn(rest, " \t"), "void") == 0;
    while (!none && (one = strsep(&rest, ",")) != NULL) {
        if (d->arguments == HD_DECLARED_ARGUMENTS)
            return bad(p, "too many arguments; 12 at most", NULL);
        if (!type_of(p, one, &d->argument[d->arguments]))
            return false;
        if (d->argument[d->arguments++] == HD_C_VOID)
            return bad(p, "an argument cannot be void", NULL);
    }
    p->at = close + 1;
    return true;
}

static bool number_of(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 0);
    return *text && !*end && !errno;
}

static bool take_object(struct parser *p, struct hd_declaration *d, const char *value)
{
    int64_t number;
    if (!number_of(value, &number)) {
        if (!*value || word_length(value) != strlen(value) || strlen(value) >= sizeof d->object_name)
            return bad(p, "object= wants an argument's number or a name, not", value);
        memcpy(d->object_name, value, strlen(value) + 1);
        return true;
    }
    if (number < 1 || number > d->arguments)
        return bad(p, "there is no argument", value);
    if (d->argument[number - 1] == HD_C_FLOAT || d->argument[number - 1] == HD_C_DOUBLE)
        return bad(p, "a floating-point argument cannot be the object:", value);
    d->object = (unsigned)number;
    return true;
}

static bool take_option(struct parser *p, struct hd_declaration *d, char *word)
{
    int64_t number;
    char *value = strchr(word, '=');
    if (strcmp(word, "recursive") == 0)
        return d->recursive = true;
    if (value)
        *value++ = 0;
    if (value && strcmp(word, "object") == 0)
        return take_object(p, d, value);
    if (value && strcmp(word, "success") == 0) {
        d->has_success = number_of(value, &d->success);
        return d->has_success || bad(p, "success= wants a number, not", value);
    }
    if (value && strcmp(word, "count") == 0) {
        if (!number_of(value, &number) || number < 0 || number > INT32_MAX)
            return bad(p, "count= wants a number, not", value);
        d->count = (uint32_t)number;
        return true;
    }
    return bad(p, "unknown option", word);
}

static bool take_options(struct parser *p, struct hd_declaration *d)
{
    char *word;
    while ((word = strsep(&p->at, " \t")) != NULL)
        if (*word && !take_option(p, d, word))
            return false;
    if (!d->object && !*d->object_name)
        return bad(p, "object= is missing: which argument is the lock?", NULL);
    if (d->kind == HD_TRIES && !d->has_success)
        return bad(p, "success= is missing: which result means that it was taken?", NULL);
    if (d->has_success && (d->result == HD_C_VOID || d->result >= HD_C_FLOAT))
        return bad(p, "success= wants a function with an integer result", NULL);
    return true;
}

enum hd_declare_result hd_declare_parse(const char *line, struct hd_declaration *d, char *error, size_t size)
{
    struct parser p = { .error = error, .error_size = size };
    memset(d, 0, sizeof *d);
    size_t length = strcspn(line, "#\r\n");
    if (length >= sizeof p.text) {
        bad(&p, "line too long", NULL);
        return HD_DECLARE_BAD;
    }
    memcpy(p.text, line, length);
    p.at = p.text;
    skip_blanks(&p);
    if (!*p.at)
        return HD_DECLARE_BLANK;
    return take_kind(&p, d) && take_result_and_name(&p, d) && take_arguments(&p, d) && take_options(&p, d)
               ? HD_DECLARE_ONE
               : HD_DECLARE_BAD;
}

/* One line from the file, without its newline; false at the end. Cut lines are the parser's to refuse. */
static bool read_line(int fd, char *line, size_t size)
{
    size_t length = 0;
    char c;
    ssize_t got;
    while ((got = read(fd, &c, 1)) == 1 && c != '\n')
        if (length + 1 < size)
            line[length++] = c;
    line[length] = 0;
    return got == 1 || length;
}

int hd_declare_file(const char *path, void (*each)(const struct hd_declaration *, void *), void *data, char *error,
                    size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), result = 0;
    if (fd < 0) {
        snprintf(error, size, "%s: %s; give a file of declarations", path, strerror(errno));
        return -1;
    }
    char line[HD_DECLARED_LINE + 1], what[HD_DECLARED_LINE + 80];
    struct hd_declaration d;
    for (unsigned number = 1; result == 0 && read_line(fd, line, sizeof line); number++) {
        enum hd_declare_result parsed = hd_declare_parse(line, &d, what, sizeof what);
        if (parsed == HD_DECLARE_ONE && each)
            each(&d, data);
        if (parsed == HD_DECLARE_BAD) {
            snprintf(error, size, "%s:%u: %s; write for example: acquire int my_lock(ptr, int) object=1", path, number,
                     what);
            result = -1;
        }
    }
    close(fd);
    return result;
}
