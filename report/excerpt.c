/* SPDX-License-Identifier: Apache-2.0 */
#include "report/excerpt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/frame.h"
#include "proto/memory.h"

#define LARGEST (4 << 20) /* of a source file, in bytes */

struct hit { const char *path, *file; uint32_t line; };

static int by_place(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* NULL where it cannot be read, or is no file to be read whole. */
static char *read_source(const char *path)
{
    struct stat st;
    char error[256];
    size_t size;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST)
        return NULL;
    uint8_t *bytes = hd_file_read(path, &size, error, sizeof error);
    if (!bytes)
        return NULL;
    char *text = hd_alloc(size + 1);
    memcpy(text, bytes, size);
    free(bytes);
    return text;
}

/* The lines from..to, of which hit[0..hits) are marked. */
static void excerpt(const struct hd_excerpt_reader *r, const char *text, uint32_t from, uint32_t to,
                    const struct hit *hit, size_t hits)
{
    uint32_t number = 1;
    r->begin(r->data, hit->file);
    for (const char *s = text; *s && number <= to; number++) {
        size_t length = strcspn(s, "\n"), k = 0;
        while (k < hits && hit[k].line != number)
            k++;
        if (number >= from)
            r->line(r->data, number, s, length && s[length - 1] == '\r' ? length - 1 : length, k < hits);
        s += length + (s[length] == '\n');
    }
    r->end(r->data);
}

/* One excerpt for hits that are near one another; how many it took. */
static size_t excerpt_of(const struct hd_excerpt_reader *r, unsigned context, const struct hit *hit, size_t hits)
{
    size_t n = 1;
    while (n < hits && strcmp(hit[n].path, hit->path) == 0 && hit[n].line <= hit[n - 1].line + 2 * context + 1)
        n++;
    char *text = read_source(hit->path);
    if (text)
        excerpt(r, text, hit->line > context ? hit->line - context : 1, hit[n - 1].line + context, hit, n);
    free(text);
    return n;
}

void hd_excerpts(const struct hd_report_finding *f, unsigned context, const struct hd_excerpt_reader *r)
{
    struct hit *hit = hd_alloc((f->roles + 1) * sizeof *hit);
    size_t hits = 0;
    for (size_t i = 0; i < f->roles; i++)
        if (f->role[i].place.line && *f->role[i].place.path)
            hit[hits++] = (struct hit){f->role[i].place.path, f->role[i].place.file, f->role[i].place.line};
    qsort(hit, hits, sizeof *hit, by_place);
    for (size_t i = 0; i < hits;)
        i += excerpt_of(r, context, hit + i, hits - i);
    free(hit);
}
