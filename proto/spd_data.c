/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/spd_data.h"

#include <stdio.h>

#define HEADER 18
#define EVENT 8
#define THREADS_MAX 1024 /* what 10 bits can name */

static uint64_t big_endian(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

bool hd_spd_recognise(const uint8_t *bytes, size_t size)
{
    if (size < HEADER || (size - HEADER) % EVENT)
        return false;
    uint64_t threads = big_endian(bytes, 2), locks = big_endian(bytes + 2, 4), variables = big_endian(bytes + 6, 4);
    return threads > 0 && threads <= THREADS_MAX && locks <= INT32_MAX && variables <= INT32_MAX &&
           big_endian(bytes + 10, 8) == (size - HEADER) / EVENT;
}

static struct hd_span numbered(char *room, size_t size, const char *letter, uint64_t number)
{
    int length = snprintf(room, size, "%s%llu", letter, (unsigned long long)number);
    return (struct hd_span){room, (size_t)length};
}

static bool add_event(struct hd_import *im, uint64_t number, uint64_t word, char *error, size_t error_size)
{
    static const struct { enum hd_import_op op; const char *letter; } operations[] = {
        {HD_IMPORT_ACQUIRE, "L"}, {HD_IMPORT_RELEASE, "L"}, {HD_IMPORT_READ, "V"},    {HD_IMPORT_WRITE, "V"},
        {HD_IMPORT_FORK, "T"},    {HD_IMPORT_JOIN, "T"},    {HD_IMPORT_BEGIN, ""},    {HD_IMPORT_END, ""},
        {HD_IMPORT_NOTHING, ""},  {HD_IMPORT_NOTHING, ""},
    };
    unsigned op = word >> 10 & 0xF;
    if (op >= sizeof operations / sizeof *operations)
        return hd_import_unknown(im, number, error, error_size, "unknown operation %u", op);
    char thread[24], operand[24], location[24];
    hd_import_add(im, number, numbered(thread, sizeof thread, "T", word & 0x3FF), operations[op].op,
                  numbered(operand, sizeof operand, operations[op].letter, word >> 14 & 0x3FFFFFFFF),
                  numbered(location, sizeof location, "", word >> 48 & 0x7FFF));
    return true;
}

struct hd_trace *hd_spd_parse(const uint8_t *bytes, size_t size, const char *name, struct hd_repairs *repairs,
                              char *error, size_t error_size)
{
    if (size < HEADER) {
        snprintf(error, error_size, "%s: not an SPD trace: shorter than its header; get the file again", name);
        return NULL;
    }
    struct hd_import_how how = {.file = name, .place = "event", .loose_marks = true, .repairs = repairs};
    struct hd_import *im = hd_import_new(&how);
    uint64_t expected = big_endian(bytes + 10, 8), there = (size - HEADER) / EVENT;
    struct hd_trace *trace = NULL;
    bool ok = true;
    if (expected != there || (size - HEADER) % EVENT)
        ok = hd_import_unknown(im, there, error, error_size, "the file ends here, its header says %llu events",
                               (unsigned long long)expected);
    for (uint64_t i = 0; ok && i < there; i++)
        ok = add_event(im, i, big_endian(bytes + HEADER + i * EVENT, EVENT), error, error_size);
    if (ok)
        trace = hd_import_finish(im, error, error_size);
    hd_import_free(im);
    return trace;
}
