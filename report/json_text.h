/* SPDX-License-Identifier: Apache-2.0
 * Small things that both JSON formats need. All take over what they are given. */
#ifndef HD_JSON_TEXT_H
#define HD_JSON_TEXT_H

#include <jansson.h>

#include "report/text.h"

json_t *hd_json_text(const char *s); /* any bytes */
void hd_json_add(json_t *object, const char *key, json_t *value);
void hd_json_add_text(json_t *object, const char *key, const char *s); /* nothing for NULL and "" */
json_t *hd_json_message(const char *s);                                /* {"text": s} */

/* Indented, with a newline at its end; frees the value. */
void hd_json_put(struct hd_text *, json_t *value);

#endif
