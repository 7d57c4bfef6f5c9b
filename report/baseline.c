/* SPDX-License-Identifier: Apache-2.0 */
#include "report/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/memory.h"
#include "report/gather.h"
#include "report/text.h"

static void add(struct hd_baseline *b, const char *line, size_t length)
{
    while (length && strchr(" \t\r", line[length - 1]))
        length--;
    if (!length || *line == '#')
        return;
    b->id = hd_realloc(b->id, b->ids + 1, sizeof *b->id);
    b->id[b->ids++] = hd_format("%.*s", (int)length, line);
}

int hd_baseline_parse(struct hd_baseline *b, const uint8_t *bytes, size_t size, const char *name, char *error,
                      size_t error_size)
{
    *b = (struct hd_baseline){0};
    if (memchr(bytes, 0, size)) {
        snprintf(error, error_size, "%s: not a baseline (a text, one id a line); make one with --write-baseline", name);
        return -1;
    }
    for (size_t at = 0; at < size;) {
        const char *line = (const char *)bytes + at, *end = memchr(line, '\n', size - at);
        size_t length = end ? (size_t)(end - line) : size - at;
        add(b, line, length);
        at += length + 1;
    }
    return 0;
}

int hd_baseline_read(struct hd_baseline *b, const char *path, char *error, size_t error_size)
{
    size_t size;
    *b = (struct hd_baseline){0};
    uint8_t *bytes = hd_file_read(path, &size, error, error_size);
    int failed = bytes ? hd_baseline_parse(b, bytes, size, path, error, error_size) : -1;
    free(bytes);
    return failed;
}

bool hd_baseline_has(const struct hd_baseline *b, const char *id)
{
    for (size_t i = 0; b && i < b->ids; i++)
        if (strcmp(b->id[i], id) == 0)
            return true;
    return false;
}

void hd_baseline_free(struct hd_baseline *b)
{
    for (size_t i = 0; i < b->ids; i++)
        free(b->id[i]);
    free(b->id);
    *b = (struct hd_baseline){0};
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int hd_baseline_write(const char *path, const struct hd_report *r, char *error, size_t error_size)
{
    const char **id = hd_alloc((r->findings + 1) * sizeof *id);
    struct hd_text text = {0};
    size_t ids = 0;
    for (size_t i = 0; i < r->findings; i++)
        if (r->finding[i].occurrence[0].rank == HD_RANK_FAILING)
            id[ids++] = r->finding[i].id;
    qsort(id, ids, sizeof *id, compare);
    hd_text_add(&text, "# Findings that heddle check --baseline takes for known, one id a line.\n");
    for (size_t i = 0; i < ids; i++) {
        hd_text_add(&text, id[i]);
        hd_text_add(&text, "\n");
    }
    int failed = hd_file_write(path, text.s, text.used, error, error_size);
    hd_text_free(&text);
    free(id);
    return failed;
}
