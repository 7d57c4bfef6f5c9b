/* SPDX-License-Identifier: Apache-2.0
 * A growing text, and the escapes of what comes from elsewhere.
 *
 * Names and values come from programs and files: they reach a report only through hd_markup() and
 * hd_clean(). Bytes that are no UTF-8, and controls that XML forbids, become U+FFFD. */
#ifndef HD_TEXT_H
#define HD_TEXT_H

#include <stddef.h>

struct hd_text {
    char *s; /* NULL, or ends with a 0 */
    size_t used, room;
};

void hd_text_add(struct hd_text *, const char *s);
void hd_text_free(struct hd_text *);

/* HTML or XML: the format as it is, each %s escaped. Also %u, %zu and %%. */
void hd_markup(struct hd_text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* All the caller's to free: UTF-8 for sure; a word of the shell; a path as in a URI. */
char *hd_clean(const char *s);
char *hd_shell_word(const char *s);
char *hd_uri_path(const char *s);

#endif
