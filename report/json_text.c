/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json_text.h"

#include <assert.h>
#include <stdlib.h>

json_t *hd_json_text(const char *s)
{
    char *clean = hd_clean(s);
    json_t *string = json_string(clean);
    free(clean);
    return string;
}

void hd_json_add(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void hd_json_add_text(json_t *object, const char *key, const char *s)
{
    if (s && *s)
        hd_json_add(object, key, hd_json_text(s));
}

json_t *hd_json_message(const char *s)
{
    json_t *message = json_object();
    hd_json_add(message, "text", hd_json_text(s));
    return message;
}

void hd_json_put(struct hd_text *out, json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2));
    assert(text);
    hd_text_add(out, text);
    hd_text_add(out, "\n");
    free(text);
    json_decref(value);
}
