/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/witness_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/frame.h"
#include "proto/kinds.h"
#include "proto/memory.h"
#include "proto/trace_file.h"

#define THREADS_MAX 65536
#define STEPS_MAX (1u << 26) /* the schedule fits into 32 bits of memory */

static bool path_well_formed(const char *path)
{
    if (strncmp(path, "0", 1) != 0)
        return false;
    for (const char *p = path + 1; *p;) {
        if (*p++ != '.' || *p < '1' || *p > '9')
            return false;
        while (*p >= '0' && *p <= '9')
            p++;
    }
    return true;
}

struct path { const char *text; size_t length, index; };

static int compare_paths(const void *a, const void *b)
{
    const struct path *x = a, *y = b;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->text, y->text, shorter);
    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

static const char *check_parents(const Heddle__Witness *w, const struct path *sorted)
{
    for (size_t i = 0; i < w->n_thread; i++) {
        const char *dot = strrchr(w->thread[i], '.');
        struct path parent = {w->thread[i], dot ? (size_t)(dot - w->thread[i]) : 0, 0};
        const struct path *found = dot ? bsearch(&parent, sorted, w->n_thread, sizeof *sorted, compare_paths) : NULL;
        if (dot && (!found || found->index > i))
            return "a thread stands before its parent";
    }
    return NULL;
}

static const char *check_threads(const Heddle__Witness *w)
{
    if (w->n_thread > THREADS_MAX)
        return "more threads than a test can have";
    struct path *sorted = hd_realloc(NULL, w->n_thread, sizeof *sorted);
    const char *wrong = NULL;
    for (size_t i = 0; i < w->n_thread; i++) {
        sorted[i] = (struct path){w->thread[i], strlen(w->thread[i]), i};
        if (!path_well_formed(w->thread[i]))
            wrong = "a thread path is malformed";
    }
    qsort(sorted, w->n_thread, sizeof *sorted, compare_paths);
    for (size_t i = 1; i < w->n_thread && !wrong; i++)
        if (compare_paths(&sorted[i - 1], &sorted[i]) == 0)
            wrong = "a thread is listed twice";
    if (!wrong)
        wrong = check_parents(w, sorted);
    free(sorted);
    return wrong;
}

static const char *check_step(const Heddle__Witness *w, const Heddle__Step *step)
{
    if (step->kind == HD_NONE || step->kind >= HD_KIND_COUNT)
        return "a step of unknown kind";
    if (step->object > w->n_object)
        return "a step names an unknown object";
    if (step->anchor > w->n_anchor)
        return "a step names an unknown anchor";
    return step->size > 8 ? "a step of more than 8 bytes" : NULL;
}

static const char *check_slices(const Heddle__Witness *w)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < w->n_slice; i++) {
        const Heddle__Slice *slice = w->slice[i];
        if (slice->thread >= w->n_thread)
            return "a slice is of an unknown thread";
        if (!slice->stop && !slice->n_step)
            return "a slice has neither steps nor a stop";
        const char *wrong = slice->stop ? check_step(w, slice->stop) : NULL;
        for (size_t j = 0; j < slice->n_step && !wrong; j++)
            wrong = check_step(w, slice->step[j]);
        if (wrong)
            return wrong;
        steps += slice->n_step + 1;
    }
    if (steps > STEPS_MAX)
        return "more steps than can be replayed";
    bool imported = !*w->header->program; /* its threads have no beginning */
    return w->n_slice || imported ? NULL : "it has no slices";
}

static const char *check_roles(const Heddle__Witness *w)
{
    for (size_t i = 0; i < w->finding->n_role; i++) {
        const Heddle__Role *role = w->finding->role[i];
        if (role->thread >= w->n_thread)
            return "a role is of an unknown thread";
        const char *wrong = role->at ? check_step(w, role->at) : "a role has no place";
        if (wrong)
            return wrong;
        for (size_t j = 0; j < role->n_stack; j++)
            if (role->stack[j] == 0 || role->stack[j] > w->n_anchor)
                return "a stack names an unknown anchor";
        for (size_t j = 0; j < role->n_held; j++)
            if (role->held[j] == 0 || role->held[j] > w->n_object)
                return "a role holds an unknown object";
    }
    return NULL;
}

static const char *check_witness(const Heddle__Witness *w)
{
    const char *wrong = check_threads(w);
    if (!wrong)
        wrong = check_slices(w);
    if (!wrong)
        wrong = check_roles(w);
    if (!wrong && w->expected && (unsigned)w->expected->outcome > HEDDLE__OUTCOME__KILLED)
        wrong = "an unknown outcome is expected";
    return wrong;
}

/* NULL and a line where the first message is not of this type. */
static const uint8_t *first_message(const uint8_t *bytes, size_t size, enum hd_file_type wanted, const char *name,
                                    size_t *body_size, size_t *end, char *error, size_t error_size)
{
    static const char *const names[] = {"", "trace", "witness", "verdict"};
    const uint8_t *body = NULL;
    *end = 0;
    enum hd_file_type type = hd_file_recognise(bytes, size);
    if (type == wanted && hd_frame_next(bytes, size, end, &body, body_size) == HD_FRAME_OK)
        return body;
    if (size == 0)
        snprintf(error, error_size, "%s: empty, not a heddle %s; make it again", name, names[wanted]);
    else if (type != HD_FILE_UNKNOWN)
        snprintf(error, error_size, "%s: a heddle %s, not a %s; give the .%s file", name, names[type], names[wanted],
                 names[wanted]);
    else
        snprintf(error, error_size, "%s: not a heddle %s, or cut; make it again", name, names[wanted]);
    return NULL;
}

static bool too_new(uint32_t version, const char *name, char *error, size_t error_size)
{
    if (version <= HD_FORMAT_VERSION)
        return false;
    snprintf(error, error_size, "%s: made by a newer heddle (format %u, this one reads %d); update heddle", name,
             version, HD_FORMAT_VERSION);
    return true;
}

/* A schedule that was changed is another one: what fails under it would prove nothing of the finding. */
static uint64_t digest_of(const Heddle__Witness *witness)
{
    Heddle__Witness bare = *witness;
    bare.digest = 0;
    size_t size = heddle__witness__get_packed_size(&bare);
    uint8_t *bytes = hd_realloc(NULL, size + 1, 1);
    heddle__witness__pack(&bare, bytes);
    uint64_t digest = 14695981039346656037ull;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ bytes[i]) * 1099511628211ull;
    free(bytes);
    return digest ? digest : 1;
}

Heddle__Witness *hd_witness_parse(const uint8_t *bytes, size_t size, const char *name, char *error, size_t error_size)
{
    size_t body_size = 0, end;
    const uint8_t *body = first_message(bytes, size, HD_FILE_WITNESS, name, &body_size, &end, error, error_size);
    Heddle__Witness *witness = body ? heddle__witness__unpack(NULL, body_size, body) : NULL;
    if (!witness)
        return NULL;
    if (too_new(witness->header->version, name, error, error_size)) {
        heddle__witness__free_unpacked(witness, NULL);
        return NULL;
    }
    const char *wrong = end != size ? "something follows the witness" : check_witness(witness);
    if (!wrong && witness->digest && witness->digest != digest_of(witness))
        wrong = "it was changed since it was written";
    if (!wrong)
        return witness;
    snprintf(error, error_size, "%s: damaged: %s; analyze again", name, wrong);
    heddle__witness__free_unpacked(witness, NULL);
    return NULL;
}

Heddle__Witness *hd_witness_read(const char *path, char *error, size_t error_size)
{
    size_t size;
    uint8_t *bytes = hd_file_read(path, &size, error, error_size);
    if (!bytes)
        return NULL;
    Heddle__Witness *witness = hd_witness_parse(bytes, size, path, error, error_size);
    free(bytes);
    return witness;
}

Heddle__Witness *hd_witness_copy(const Heddle__Witness *witness)
{
    size_t size = heddle__witness__get_packed_size(witness);
    uint8_t *bytes = hd_realloc(NULL, size + 1, 1);
    heddle__witness__pack(witness, bytes);
    Heddle__Witness *copy = heddle__witness__unpack(NULL, size, bytes);
    free(bytes);
    return copy;
}

int hd_witness_write(const char *path, const Heddle__Witness *witness, char *error, size_t error_size)
{
    Heddle__Witness signed_by = *witness;
    signed_by.digest = digest_of(witness);
    return hd_message_write(path, &signed_by.base, error, error_size);
}

Heddle__VerdictFile *hd_verdict_parse(const uint8_t *bytes, size_t size, const char *name, char *error,
                                      size_t error_size)
{
    size_t body_size, end;
    if (!first_message(bytes, size, HD_FILE_VERDICT, name, &body_size, &end, error, error_size))
        return NULL;
    Heddle__VerdictFile *file = heddle__verdict_file__unpack(NULL, size, bytes);
    if (!file) {
        snprintf(error, error_size, "%s: damaged; replay again", name);
        return NULL;
    }
    for (size_t i = 0; i < file->n_verdict; i++) {
        const Heddle__Verdict *v = file->verdict[i];
        bool newer = too_new(v->version, name, error, error_size);
        if (!newer && (unsigned)v->kind <= HEDDLE__VERDICT__KIND__NOT_REACHED &&
            (unsigned)v->outcome <= HEDDLE__OUTCOME__KILLED)
            continue;
        if (!newer)
            snprintf(error, error_size, "%s: damaged: unknown verdict or outcome; replay again", name);
        heddle__verdict_file__free_unpacked(file, NULL);
        return NULL;
    }
    return file;
}

Heddle__VerdictFile *hd_verdict_read(const char *path, char *error, size_t error_size)
{
    size_t size;
    uint8_t *bytes = hd_file_read(path, &size, error, error_size);
    if (!bytes)
        return NULL;
    Heddle__VerdictFile *file = hd_verdict_parse(bytes, size, path, error, error_size);
    free(bytes);
    return file;
}

/* A verdict without a version could not be told from a foreign file. */
static Heddle__Verdict with_version(const Heddle__Verdict *verdict)
{
    Heddle__Verdict copy = *verdict;
    if (copy.version == 0)
        copy.version = HD_FORMAT_VERSION;
    return copy;
}

int hd_verdict_write(const char *path, const Heddle__Verdict *verdict, char *error, size_t error_size)
{
    Heddle__Verdict one = with_version(verdict);
    return hd_message_write(path, &one.base, error, error_size);
}

int hd_verdict_append(const char *path, const Heddle__Verdict *verdict, char *error, size_t error_size)
{
    if (access(path, F_OK) != 0)
        return hd_verdict_write(path, verdict, error, error_size);
    Heddle__VerdictFile *file = hd_verdict_read(path, error, error_size);
    if (!file)
        return -1;
    Heddle__Verdict one = with_version(verdict), **list = hd_realloc(NULL, file->n_verdict + 1, sizeof *list);
    memcpy(list, file->verdict, file->n_verdict * sizeof *list);
    list[file->n_verdict] = &one;
    Heddle__VerdictFile all = HEDDLE__VERDICT_FILE__INIT;
    all.n_verdict = file->n_verdict + 1;
    all.verdict = list;
    size_t size = heddle__verdict_file__get_packed_size(&all);
    uint8_t *bytes = hd_realloc(NULL, size, 1);
    heddle__verdict_file__pack(&all, bytes);
    int result = hd_file_write(path, bytes, size, error, error_size);
    free(bytes);
    free(list);
    heddle__verdict_file__free_unpacked(file, NULL);
    return result;
}
