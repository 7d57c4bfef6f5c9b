/* SPDX-License-Identifier: Apache-2.0 */
#include "record/recording.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/memory.h"
#include "proto/temp_file.h"
#include "record/declare.h"
#include "record/drain.h"

static int make_folders(const char *dir, char *error, size_t size)
{
    char *path = hd_strdup(dir);
    for (char *slash = path + 1; *slash; slash++)
        if (*slash == '/') {
            *slash = 0;
            mkdir(path, 0777);
            *slash = '/';
        }
    struct stat st;
    if (mkdir(path, 0777) != 0 && errno == EEXIST && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        errno = ENOTDIR;
    else
        errno = stat(path, &st) == 0 ? 0 : errno;
    free(path);
    if (!errno)
        return 0;
    snprintf(error, size, "%s: %s; give another folder with -o", dir, strerror(errno));
    return -1;
}

static char *file_word(const char *text)
{
    char *word = hd_strdup(*text ? text : "test");
    for (char *p = word; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._-+", *p))
            *p = '_';
    if (*word == '.' || *word == '-')
        *word = '_';
    return word;
}

/* By another test of this run, or, where those are to stay, by somebody else's file. A free name is reserved:
 * others may be recording into the same folder. */
static bool is_taken(const struct hd_recording *r, const char *path)
{
    for (size_t i = 0; i < r->paths; i++)
        if (strcmp(r->path[i], path) == 0)
            return true;
    return r->leave_others && !hd_name_reserve(path);
}

static char *path_of(const struct hd_recording *r, const struct hd_trace *trace)
{
    const char *slash = strrchr(r->program.path, '/');
    char *test = file_word(trace->test);
    char *suite = file_word(*trace->suite || !r->leave_others ? trace->suite : slash ? slash + 1 : r->program.path);
    char *path = hd_format("%s/%s.trace", r->dir, test);
    if (is_taken(r, path)) {
        free(path);
        path = hd_format("%s/%s.%s.trace", r->dir, suite, test);
        for (unsigned n = 2; is_taken(r, path); n++) {
            free(path);
            path = hd_format("%s/%s.%s.%u.trace", r->dir, suite, test, n);
        }
    }
    free(test);
    free(suite);
    return path;
}

static void grow(struct hd_recording *r)
{
    if (r->paths < r->room)
        return;
    r->room = r->room ? r->room * 2 : 16;
    r->path = hd_realloc(r->path, r->room, sizeof *r->path);
    r->trace = hd_realloc(r->trace, r->room, sizeof *r->trace);
    r->events = hd_realloc(r->events, r->room, sizeof *r->events);
}

static struct hd_trace_writer *test_begins(const struct hd_trace *trace, void *data)
{
    struct hd_recording *r = data;
    grow(r);
    char *path = path_of(r, trace);
    r->path[r->paths++] = path;
    struct hd_trace_writer *w = r->failed ? NULL : hd_trace_writer_open(trace, path, r->error, r->error_size);
    r->failed |= !w;
    return w;
}

static void test_ends(struct hd_trace *trace, struct hd_trace_writer *w, void *data)
{
    struct hd_recording *r = data;
    r->trace[r->traces] = trace;
    r->events[r->traces++] = w ? hd_trace_writer_events(w) : 0;
    if (!w)
        return;
    char error[512];
    if (hd_trace_writer_close(w, trace, error, sizeof error) != 0 && !r->failed) {
        r->failed = true;
        snprintf(r->error, r->error_size, "%s", error);
    }
}

static int load_traces(struct hd_recording *r, char *error, size_t size)
{
    for (size_t i = 0; i < r->traces; i++) {
        struct hd_trace *loaded = hd_trace_read(r->path[i], error, size);
        if (!loaded)
            return -1;
        hd_trace_free(r->trace[i]);
        r->trace[i] = loaded;
    }
    return 0;
}

/* Checked before the program starts; a replay elsewhere needs the whole path. */
static int open_declarations(struct hd_recording *r, const char *path, char *error, size_t size)
{
    if (!path)
        path = getenv("HEDDLE_DECLARE");
    if (!path || !*path)
        return 0;
    if (hd_declare_file(path, NULL, NULL, error, size) != 0)
        return -1;
    r->declare = realpath(path, NULL);
    return 0;
}
/* Bytes that an access is reckoned to take in a trace; should it be more, the drain stops at the bound itself. */
#define ACCESS_BYTES 4

static uint64_t megabytes(unsigned count) { return (uint64_t)count << 20; }

int hd_recording_make(struct hd_recording *r, char *const *argv, const struct hd_recording_options *o, char *error,
                      size_t size)
{
    *r = (struct hd_recording){ 0 };
    if (hd_program_open(argv[0], &r->program, error, size) != 0)
        return -1;
    if (open_declarations(r, o->declare, error, size) != 0 || make_folders(o->dir, error, size) != 0)
        return -1;
    uint64_t bytes = megabytes(o->size ? o->size : HD_DEFAULT_SIZE);
    struct hd_session_options session = {
        .program = r->program.path,
        .argv = argv,
        .mode = HD_MODE_RECORD,
        .seed = o->seed,
        .priorities = o->priorities,
        .length = o->length,
        .keep_repeats = o->keep_repeats,
        .accesses_max = bytes / ACCESS_BYTES,
        .output = o->output,
        .time_limit = o->time_limit,
        .declare = r->declare,
    };
    r->dir = o->dir;
    r->leave_others = o->leave_others;
    r->error = error;
    r->error_size = size;
    struct hd_drain *drain = hd_drain_new(&r->program, argv, o->seed, test_ends, r);
    hd_drain_declare(drain, r->declare);
    hd_drain_stream(drain, test_begins, bytes);
    hd_drain_limit(drain, megabytes(o->memory ? o->memory : HD_DEFAULT_MEMORY));
    char line[512];
    int failed = hd_session_run(&session, drain, &r->result, line, sizeof line);
    hd_drain_free(drain);
    for (size_t i = 0; i < r->paths; i++)
        hd_name_give_back(r->path[i]);
    if (failed)
        snprintf(error, size, "%s", line);
    if (failed || r->failed)
        return -1;
    return o->load ? load_traces(r, error, size) : 0;
}

void hd_recording_free(struct hd_recording *r)
{
    for (size_t i = 0; i < r->traces; i++)
        hd_trace_free(r->trace[i]);
    for (size_t i = 0; i < r->paths; i++)
        free(r->path[i]);
    free(r->events);
    free(r->trace);
    free(r->path);
    free(r->declare);
    hd_program_close(&r->program);
    *r = (struct hd_recording){ 0 };
}
