/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/std_text.h"

#include <string.h>

static const struct {
    const char *word;
    enum hd_import_op op;
} operations[] = {
    {"r", HD_IMPORT_READ},        {"w", HD_IMPORT_WRITE},    {"acq", HD_IMPORT_ACQUIRE},
    {"rel", HD_IMPORT_RELEASE},   {"fork", HD_IMPORT_FORK},  {"join", HD_IMPORT_JOIN},
    {"sig", HD_IMPORT_SIGNAL},    {"wake", HD_IMPORT_WAKE},  {"begin", HD_IMPORT_BEGIN},
    {"end", HD_IMPORT_END},       {"req", HD_IMPORT_NOTHING}, {"branch", HD_IMPORT_NOTHING},
};

struct line { struct hd_span thread, word, operand, location; };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static struct hd_span trimmed(const char *from, const char *to)
{
    while (from < to && is_space(*from))
        from++;
    while (to > from && is_space(to[-1]))
        to--;
    return (struct hd_span){from, (size_t)(to - from)};
}

static bool printable(struct hd_span span)
{
    for (size_t i = 0; i < span.length; i++)
        if (span.text[i] < ' ' || span.text[i] > '~')
            return false;
    return true;
}

/* NULL, or what is wrong. The operand ends at the field's last parenthesis: names may hold some. */
static const char *split(struct hd_span text, struct line *line)
{
    const char *end = text.text + text.length, *bar = memchr(text.text, '|', text.length);
    if (!bar)
        return "not thread|operation(operand)|location";
    line->thread = trimmed(text.text, bar);
    const char *second = memchr(bar + 1, '|', (size_t)(end - bar - 1)), *stop = second ? second : end;
    struct hd_span call = trimmed(bar + 1, stop);
    line->location = second ? trimmed(second + 1, end) : (struct hd_span){"", 0};
    const char *open = memchr(call.text, '(', call.length);
    if (!open || call.text[call.length - 1] != ')')
        return "no operation(operand) after the thread";
    line->word = trimmed(call.text, open);
    line->operand = trimmed(open + 1, call.text + call.length - 1);
    if (!printable(line->thread) || !printable(line->word) || !printable(line->operand) ||
        !printable(line->location))
        return "a name that is not printable";
    if (memchr(line->location.text, '|', line->location.length))
        return "more than three fields";
    return line->thread.length ? NULL : "no thread before the first bar";
}

static bool find_operation(struct hd_span word, enum hd_import_op *op)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strlen(operations[i].word) == word.length && memcmp(operations[i].word, word.text, word.length) == 0) {
            *op = operations[i].op;
            return true;
        }
    return false;
}

static bool next_line(const uint8_t *bytes, size_t size, size_t *at, struct hd_span *text)
{
    if (*at >= size)
        return false;
    const char *from = (const char *)bytes + *at, *newline = memchr(from, '\n', size - *at);
    size_t length = newline ? (size_t)(newline - from) : size - *at;
    *at += length + 1;
    *text = trimmed(from, from + length);
    return true;
}

bool hd_std_recognise(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    struct hd_span text = {0};
    struct line line;
    while (next_line(bytes, size, &at, &text) && text.length == 0)
        continue;
    return text.length && split(text, &line) == NULL;
}

static bool add_line(struct hd_import *im, uint64_t number, struct hd_span text, char *error, size_t error_size)
{
    struct line line;
    enum hd_import_op op = HD_IMPORT_NOTHING;
    const char *wrong = split(text, &line);
    if (wrong)
        return hd_import_unknown(im, number, error, error_size, "%s", wrong);
    if (!find_operation(line.word, &op))
        return hd_import_unknown(im, number, error, error_size, "unknown operation '%.*s'",
                                 line.word.length > 40 ? 40 : (int)line.word.length, line.word.text);
    bool bare = op == HD_IMPORT_BEGIN || op == HD_IMPORT_END || op == HD_IMPORT_NOTHING;
    if (!line.operand.length && !bare)
        return hd_import_unknown(im, number, error, error_size, "no operand");
    hd_import_add(im, number, line.thread, op, line.operand, line.location);
    return true;
}

struct hd_trace *hd_std_parse(const uint8_t *bytes, size_t size, const char *name, struct hd_repairs *repairs,
                              char *error, size_t error_size)
{
    struct hd_import_how how = {.file = name, .place = "line", .repairs = repairs};
    struct hd_import *im = hd_import_new(&how);
    struct hd_trace *trace = NULL;
    struct hd_span text;
    size_t at = 0;
    uint64_t number = 0;
    bool ok = true;
    while (ok && next_line(bytes, size, &at, &text)) {
        number++;
        ok = text.length == 0 || add_line(im, number, text, error, error_size);
    }
    if (ok)
        trace = hd_import_finish(im, error, error_size);
    hd_import_free(im);
    return trace;
}
