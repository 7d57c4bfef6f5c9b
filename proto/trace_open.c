/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/trace_open.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/spd_data.h"
#include "proto/std_text.h"
#include "proto/trace_file.h"

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

struct hd_trace *hd_trace_open_bytes(const uint8_t *bytes, size_t size, const char *name, struct hd_repairs *repairs,
                                     char *error, size_t error_size)
{
    if (size > 2 && bytes[0] == 0x1F && bytes[1] == 0x8B) {
        snprintf(error, error_size, "%s: compressed; unpack it first, with gunzip", name);
        return NULL;
    }
    bool ours = size == 0 || hd_file_recognise(bytes, size) != HD_FILE_UNKNOWN || ends_in(name, ".trace");
    if (!ours && (ends_in(name, ".std") || hd_std_recognise(bytes, size)))
        return hd_std_parse(bytes, size, name, repairs, error, error_size);
    if (!ours && (ends_in(name, ".data") || hd_spd_recognise(bytes, size)))
        return hd_spd_parse(bytes, size, name, repairs, error, error_size);
    return hd_trace_parse(bytes, size, name, error, error_size);
}

struct hd_trace *hd_trace_open(const char *path, char *error, size_t error_size)
{
    size_t size;
    uint8_t *bytes = hd_file_read(path, &size, error, error_size);
    if (!bytes)
        return NULL;
    struct hd_trace *trace = hd_trace_open_bytes(bytes, size, path, NULL, error, error_size);
    free(bytes);
    return trace;
}
