/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/printed.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/memory.h"

/* What is not UTF-8 becomes Latin-1: JSON has no bytes. */
json_t *hd_printed_json(const struct hd_text *t)
{
    json_t *text = t->bytes ? json_stringn(t->bytes, t->size) : json_string("");
    if (text || !t->bytes)
        return text;
    char *wide = hd_alloc(2 * t->size + 1), *to = wide;
    for (size_t i = 0; i < t->size; i++) {
        unsigned char c = (unsigned char)t->bytes[i];
        if (c >= 0x80)
            *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    text = json_stringn(wide, (size_t)(to - wide));
    free(wide);
    return text;
}

void hd_printed_say(const char *name, const struct hd_text *t)
{
    if (!t->total)
        return;
    if (t->size < t->total)
        printf("%s (the first %zu of %llu bytes):\n", name, t->size, (unsigned long long)t->total);
    else
        printf("%s:\n", name);
    fwrite(t->bytes, 1, t->size, stdout);
    if (t->bytes[t->size - 1] != '\n')
        putchar('\n');
}
