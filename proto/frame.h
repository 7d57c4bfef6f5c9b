/* SPDX-License-Identifier: Apache-2.0
 * Framing: a file is messages, each as field 1 of a container message
 * (0x0A, varint length, bytes). See heddle.proto. */
#ifndef HD_FRAME_H
#define HD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_FORMAT_VERSION 2

/* A whole file in memory; NULL and one line in `error` where it cannot be read. */
uint8_t *hd_file_read(const char *path, size_t *size, char *error, size_t error_size);

/* Writes bytes under a temporary name beside `path`, then renames. 0 or -1. */
int hd_file_write(const char *path, const void *bytes, size_t size, char *error, size_t error_size);

/* The file `name` in the folder of `path`, for a name that came out of a file: NULL where it would lead out of
 * that folder, or what is there is no regular file and might never end. The caller frees. */
char *hd_file_beside(const char *path, const char *name);
/* Likewise: what is there can be read to its end, or there is nothing. */
bool hd_file_ends(const char *path);

enum hd_frame { HD_FRAME_OK, HD_FRAME_END, HD_FRAME_CUT, HD_FRAME_BAD };

/* Next framed message at *offset: sets body and its size, moves *offset past it. */
enum hd_frame hd_frame_next(const uint8_t *file, size_t size, size_t *offset, const uint8_t **body, size_t *body_size);

/* Bytes the frame header takes for a body of this size; written to `out` (10 is enough). */
size_t hd_frame_header(uint8_t *out, size_t body_size);

/* One framed message to and from a file of its own: witnesses and verdicts.
 * `message` is any protobuf-c message. */
struct ProtobufCMessage;
int hd_message_write(const char *path, const struct ProtobufCMessage *message, char *error, size_t error_size);

#endif
