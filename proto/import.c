/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/import_make.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

struct hd_import *hd_import_new(const struct hd_import_how *how)
{
    struct hd_import *im = hd_alloc(sizeof *im);
    im->how = *how;
    return im;
}

void hd_import_free(struct hd_import *im)
{
    hd_name_table_free(&im->threads);
    hd_name_table_free(&im->locks);
    hd_name_table_free(&im->conditions);
    hd_name_table_free(&im->variables);
    hd_name_table_free(&im->locations);
    free(im->event);
    free(im);
}

static struct hd_name_table *table_of(struct hd_import *im, enum hd_import_op op)
{
    switch (op) {
    case HD_IMPORT_ACQUIRE:
    case HD_IMPORT_RELEASE: return &im->locks;
    case HD_IMPORT_READ:
    case HD_IMPORT_WRITE: return &im->variables;
    case HD_IMPORT_FORK:
    case HD_IMPORT_JOIN: return &im->threads;
    case HD_IMPORT_SIGNAL:
    case HD_IMPORT_WAKE: return &im->conditions;
    default: return NULL;
    }
}

void hd_import_add(struct hd_import *im, uint64_t number, struct hd_span thread, enum hd_import_op op,
                   struct hd_span operand, struct hd_span location)
{
    if (op == HD_IMPORT_NOTHING)
        return;
    struct hd_name_table *table = table_of(im, op);
    struct hd_import_event e = {.number = number, .op = (uint8_t)op};
    e.thread = hd_name_put(&im->threads, thread.text, thread.length);
    e.operand = table ? hd_name_put(table, operand.text, operand.length) : 0;
    e.location = hd_name_put(&im->locations, location.text, location.length);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): that `table` may be NULL says nothing of `im` */
    HD_GROW(im->event, im->events, im->room);
    im->event[im->events++] = e;
}

bool hd_import_fault(struct hd_import *im, enum hd_fault fault, uint64_t number, char *error, size_t error_size,
                     const char *fmt, va_list args)
{
    if (im->how.repairs) {
        im->how.repairs->count[fault]++;
        return true;
    }
    char what[200];
    vsnprintf(what, sizeof what, fmt, args);
    snprintf(error, error_size, "%.200s: %s %llu: %s; 'heddle convert --repair' makes it well-formed", im->how.file,
             im->how.place, (unsigned long long)number, what);
    return false;
}

bool hd_import_unknown(struct hd_import *im, uint64_t number, char *error, size_t error_size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bool repaired = hd_import_fault(im, HD_FAULT_UNKNOWN, number, error, error_size, fmt, args);
    va_end(args);
    return repaired;
}

size_t hd_repairs_total(const struct hd_repairs *repairs)
{
    size_t total = 0;
    for (int i = 0; i < HD_FAULT_COUNT; i++)
        total += repairs->count[i];
    return total;
}

char *hd_repair_words(enum hd_fault fault, size_t count)
{
    static const char *const words[HD_FAULT_COUNT][2] = {
        [HD_FAULT_HELD] = {"acquire", "of a held lock put after an inserted release of its holder"},
        [HD_FAULT_HELD_FOREVER] = {"acquire", "of a lock whose holder has ended or waits dropped"},
        [HD_FAULT_NOT_HELD] = {"release", "of a lock not held dropped"},
        [HD_FAULT_FORK] = {"fork", "of a thread that already ran dropped"},
        [HD_FAULT_JOIN] = {"join", "of a thread that still runs dropped"},
        [HD_FAULT_WAKE] = {"wake", "without a wait dropped"},
        [HD_FAULT_SIGNAL] = {"wake", "without a signal made a timeout"},
        [HD_FAULT_MARK] = {"mark", "of a thread's begin or end dropped"},
        [HD_FAULT_UNKNOWN] = {"unreadable place", "dropped"},
    };
    return hd_format("%zu %s%s %s", count, words[fault][0], count == 1 ? "" : "s", words[fault][1]);
}
