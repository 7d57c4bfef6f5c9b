/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <protobuf-c/protobuf-c.h>

#include "proto/memory.h"
#include "proto/temp_file.h"

uint8_t *hd_file_read(const char *path, size_t *size, char *error, size_t error_size)
{
    *size = 0;
    FILE *file = fopen(path, "rbe");
    if (!file) {
        hd_end_if_exhausted(path); /* some readers do well without a file that is not there */
        snprintf(error, error_size, "%s: %s; check the name and its permissions", path, strerror(errno));
        return NULL;
    }
    uint8_t *bytes = NULL;
    size_t used = 0, room = 0, got;
    struct stat st;
    if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        room = (size_t)st.st_size + 1;
    else
        room = 65536;
    bytes = hd_realloc(NULL, room, 1);
    while ((got = fread(bytes + used, 1, room - used, file)) > 0) {
        used += got;
        if (used == room) {
            bytes = hd_realloc(bytes, room, 2);
            room *= 2;
        }
    }
    if (ferror(file)) {
        hd_end_if_exhausted(path);
        snprintf(error, error_size, "%s: %s; give a readable file", path, strerror(errno));
        fclose(file);
        free(bytes);
        return NULL;
    }
    fclose(file);
    *size = used;
    return bytes;
}

bool hd_file_ends(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

char *hd_file_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    if (!*name || strchr(name, '/'))
        return NULL;
    char *beside = hd_format("%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
    if (hd_file_ends(beside))
        return beside;
    free(beside);
    return NULL;
}

/* A terminal, a pipe, /dev/stdout: written straight, for a name there must not be replaced. A link is replaced,
 * wherever it leads: in a folder that came from elsewhere it may lead anywhere. */
static bool is_special(const char *path)
{
    struct stat st;
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0 ||
           (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode));
}

static struct hd_temp_file *temps;
static pid_t temps_of; /* a child has no part in its parent's */

struct reserved { char *name; struct reserved *next; };
static struct reserved *reserved;

static void remove_if_empty(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
        unlink(path);
}

static void remove_temps(void)
{
    if (temps_of != getpid())
        return;
    for (const struct hd_temp_file *t = temps; t; t = t->next)
        unlink(t->name);
    for (const struct reserved *r = reserved; r; r = r->next)
        remove_if_empty(r->name);
}

static void claim(void)
{
    static bool at_end;
    if (!at_end)
        hd_at_end(remove_temps);
    at_end = true;
    if (temps_of != getpid()) {
        temps = NULL;
        reserved = NULL;
    }
    temps_of = getpid();
}

static void remember(struct hd_temp_file *temp)
{
    claim();
    temp->next = temps;
    temps = temp;
}

bool hd_name_reserve(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno != EEXIST;
    close(fd);
    claim();
    struct reserved *r = hd_alloc(sizeof *r);
    *r = (struct reserved){ hd_strdup(path), reserved };
    reserved = r;
    return true;
}

void hd_name_give_back(const char *path)
{
    struct reserved **at = &reserved;
    while (*at && strcmp((*at)->name, path) != 0)
        at = &(*at)->next;
    struct reserved *r = *at;
    if (!r)
        return;
    *at = r->next;
    remove_if_empty(path);
    free(r->name);
    free(r);
}

static void forget(const struct hd_temp_file *temp)
{
    struct hd_temp_file **at = &temps;
    while (*at && *at != temp)
        at = &(*at)->next;
    if (*at)
        *at = temp->next;
}

int hd_temp_open(struct hd_temp_file *temp, const char *path, char *error, size_t error_size)
{
    static unsigned serial;
    if (is_special(path) && (temp->stream = fopen(path, "abe")) != NULL) {
        temp->name = NULL;
        return 0;
    }
    for (int tries = 0; tries < 100; tries++) {
        temp->name = hd_format("%s.%ld.%u.tmp", path, (long)getpid(), serial++);
        int fd = open(temp->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            remember(temp);
            temp->stream = fdopen(fd, "wb");
            if (temp->stream)
                return 0;
            forget(temp);
            close(fd);
            unlink(temp->name);
        }
        int why = errno;
        free(temp->name);
        temp->name = NULL;
        if (why != EEXIST) {
            errno = why;
            break;
        }
    }
    snprintf(error, error_size, "%s: cannot be written: %s; check the folder and its permissions", path,
             strerror(errno));
    temp->stream = NULL;
    return -1;
}

int hd_temp_commit(struct hd_temp_file *temp, const char *path, char *error, size_t error_size)
{
    int failed = ferror(temp->stream) ? EIO : 0;
    if (fflush(temp->stream) != 0)
        failed = errno;
    if (fclose(temp->stream) != 0 && !failed)
        failed = errno;
    temp->stream = NULL;
    if (!failed && temp->name && rename(temp->name, path) != 0)
        failed = errno;
    if (failed) {
        snprintf(error, error_size, "%s: cannot be written: %s; check the space left and the permissions", path,
                 strerror(failed));
        hd_temp_discard(temp);
        return -1;
    }
    forget(temp);
    free(temp->name);
    temp->name = NULL;
    return 0;
}

void hd_temp_discard(struct hd_temp_file *temp)
{
    if (temp->stream)
        fclose(temp->stream);
    if (temp->name)
        unlink(temp->name);
    forget(temp);
    free(temp->name);
    temp->stream = NULL;
    temp->name = NULL;
}

int hd_file_write(const char *path, const void *bytes, size_t size, char *error, size_t error_size)
{
    struct hd_temp_file temp;
    if (hd_temp_open(&temp, path, error, error_size) != 0)
        return -1;
    if (size)
        fwrite(bytes, 1, size, temp.stream);
    return hd_temp_commit(&temp, path, error, error_size);
}

enum hd_frame hd_frame_next(const uint8_t *file, size_t size, size_t *offset, const uint8_t **body, size_t *body_size)
{
    size_t at = *offset;
    if (at >= size)
        return HD_FRAME_END;
    if (file[at++] != 0x0A)
        return HD_FRAME_BAD;
    uint64_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (shift > 56)
            return HD_FRAME_BAD;
        if (at >= size)
            return HD_FRAME_CUT;
        uint8_t byte = file[at++];
        length |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            break;
    }
    if (length > size - at)
        return HD_FRAME_CUT;
    *body = file + at;
    *body_size = (size_t)length;
    *offset = at + (size_t)length;
    return HD_FRAME_OK;
}

size_t hd_frame_header(uint8_t *out, size_t body_size)
{
    size_t used = 0;
    out[used++] = 0x0A;
    uint64_t rest = body_size;
    while (rest >= 0x80) {
        out[used++] = (uint8_t)(rest | 0x80);
        rest >>= 7;
    }
    out[used++] = (uint8_t)rest;
    return used;
}

int hd_message_write(const char *path, const struct ProtobufCMessage *message, char *error, size_t error_size)
{
    size_t body = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = hd_realloc(NULL, body + 10, 1);
    size_t head = hd_frame_header(bytes, body);
    protobuf_c_message_pack(message, bytes + head);
    int result = hd_file_write(path, bytes, head + body, error, error_size);
    free(bytes);
    return result;
}
