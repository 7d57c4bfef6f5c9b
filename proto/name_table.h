/* SPDX-License-Identifier: Apache-2.0
 * Names as small numbers: the first name put is 0, the same name is the same number. */
#ifndef HD_NAME_TABLE_H
#define HD_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hd_name_table {
    char *text;      /* all names, each with its 0 */
    size_t used, room;
    size_t *start;   /* of each name in text */
    size_t count, starts_room;
    uint32_t *slot;  /* open addressing: number + 1 */
    size_t slots;
};

uint32_t hd_name_put(struct hd_name_table *, const char *name, size_t length);
const char *hd_name_text(const struct hd_name_table *, uint32_t number); /* until the next put */
void hd_name_table_free(struct hd_name_table *); /* what it holds, not the struct */

#endif
