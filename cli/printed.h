/* SPDX-License-Identifier: Apache-2.0
 * What a test printed, said again. */
#ifndef HD_PRINTED_H
#define HD_PRINTED_H

#include <jansson.h>

#include "record/output.h"

/* Under the name of the stream; nothing where nothing was printed. */
void hd_printed_say(const char *name, const struct hd_text *);
json_t *hd_printed_json(const struct hd_text *);

#endif
