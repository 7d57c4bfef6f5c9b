/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/account_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/frame.h"

static bool adds_up(const Heddle__Account *a)
{
    return a->alternatives == a->impossible + a->harmless + a->failing + a->diverged + a->open + a->suppressed;
}

static Heddle__Account *unpack(const uint8_t *bytes, size_t size)
{
    const uint8_t *body;
    size_t body_size, end = 0;
    if (hd_frame_next(bytes, size, &end, &body, &body_size) != HD_FRAME_OK || end != size)
        return NULL;
    return heddle__account__unpack(NULL, body_size, body);
}

Heddle__Account *hd_account_parse(const uint8_t *bytes, size_t size, const char *name, char *error, size_t error_size)
{
    Heddle__Account *a = unpack(bytes, size);
    if (a && a->header && a->header->version <= HD_FORMAT_VERSION && adds_up(a))
        return a;
    if (a && a->header && a->header->version > HD_FORMAT_VERSION)
        snprintf(error, error_size, "%s: made by a newer heddle (format %u, this one reads %d); update heddle", name,
                 a->header->version, HD_FORMAT_VERSION);
    else
        snprintf(error, error_size, "%s: not a heddle account, or damaged; check again", name);
    if (a)
        heddle__account__free_unpacked(a, NULL);
    return NULL;
}

Heddle__Account *hd_account_read(const char *path, char *error, size_t error_size)
{
    size_t size;
    uint8_t *bytes = hd_file_read(path, &size, error, error_size);
    Heddle__Account *a = bytes ? hd_account_parse(bytes, size, path, error, error_size) : NULL;
    free(bytes);
    return a;
}

int hd_account_write(const char *path, const Heddle__Account *a, char *error, size_t error_size)
{
    return hd_message_write(path, &a->base, error, error_size);
}

bool hd_account_closed(const Heddle__Account *a)
{
    return !a->open && !a->diverged && !a->cut;
}
