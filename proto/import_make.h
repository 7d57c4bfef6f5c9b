/* SPDX-License-Identifier: Apache-2.0
 * Inside the import: the events as they were read, before they become a trace. */
#ifndef HD_IMPORT_MAKE_H
#define HD_IMPORT_MAKE_H

#include <stdarg.h>

#include "proto/import.h"
#include "proto/name_table.h"

struct hd_import_event {
    uint64_t number;                    /* line or event of the file */
    uint32_t thread, operand, location; /* numbers in the name tables */
    uint32_t condition;                 /* a release that begins a wait: condition + 1 */
    uint8_t op;
};

struct hd_import {
    struct hd_import_how how;
    struct hd_name_table threads, locks, conditions, variables, locations;
    struct hd_import_event *event;
    size_t events, room;
};

/* True where the fault was counted as repaired. */
__attribute__((format(printf, 6, 0))) bool hd_import_fault(struct hd_import *, enum hd_fault, uint64_t number,
                                                           char *error, size_t error_size, const char *fmt,
                                                           va_list args);

#endif
