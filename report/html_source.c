/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "proto/memory.h"
#include "report/excerpt.h"
#include "report/html_parts.h"

#define CONTEXT 3

static void begin(void *out, const char *file)
{
    hd_markup(out, "<p class=\"dim\">%s</p><pre class=\"src\" tabindex=\"0\">", file);
}

static void line(void *out, uint32_t number, const char *s, size_t length, bool hit)
{
    char *text = hd_format("%.*s", (int)length, s), digits[16];
    snprintf(digits, sizeof digits, "%5u", number);
    hd_markup(out, "<span class=\"%s\"><i>%s</i>  %s</span>", hit ? "hit" : "", digits, text);
    free(text);
}

static void end(void *out)
{
    hd_text_add(out, "</pre>\n");
}

void hd_html_source(struct hd_text *out, const struct hd_report_finding *f)
{
    struct hd_text source = {0};
    struct hd_excerpt_reader reader = {begin, line, end, &source};
    hd_excerpts(f, CONTEXT, &reader);
    if (source.used) {
        hd_text_add(out, "<h3>Source</h3>\n");
        hd_text_add(out, source.s);
    }
    hd_text_free(&source);
}
