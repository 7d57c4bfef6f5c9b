/* SPDX-License-Identifier: Apache-2.0 */
#include "report/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/account_file.h"
#include "proto/frame.h"
#include "proto/memory.h"
#include "proto/witness_file.h"

char *hd_with_ending(const char *name, const char *ending)
{
    const char *dot = strrchr(name, '.');
    return hd_format("%.*s.%s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name, ending);
}

static bool ends_with(const char *s, const char *ending)
{
    size_t length = strlen(s), tail = strlen(ending);
    return length > tail && strcmp(s + length - tail, ending) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_trace(const void *a, const void *b)
{
    const struct hd_folder_witness *x = a, *y = b;
    int order = strcmp(x->w->trace, y->w->trace);
    if (!order)
        order = (x->w->number > y->w->number) - (x->w->number < y->w->number);
    return order ? order : strcmp(x->name, y->name);
}

static int read_witness(struct hd_folder *f, const char *name, char *error, size_t size)
{
    struct hd_folder_witness one = {0};
    char *path = hd_format("%s/%s", f->dir, name);
    one.w = hd_witness_read(path, error, size);
    free(path);
    if (!one.w)
        return -1;
    one.name = hd_strdup(name);
    f->witness = hd_realloc(f->witness, f->witnesses + 1, sizeof *f->witness);
    f->witness[f->witnesses++] = one;
    char *verdict = hd_with_ending(name, "verdict");
    path = hd_format("%s/%s", f->dir, verdict);
    int failed = 0;
    if (access(path, F_OK) == 0 && hd_file_ends(path)) {
        f->witness[f->witnesses - 1].verdicts = hd_verdict_read(path, error, size);
        failed = f->witness[f->witnesses - 1].verdicts ? 0 : -1;
    }
    free(verdict);
    free(path);
    return failed;
}

/* The names of all files, sorted. */
static char **list(const char *dir, size_t *count, char *error, size_t size)
{
    char **name = NULL;
    size_t room = 0;
    DIR *d = opendir(dir);
    *count = 0;
    if (!d) {
        hd_end_if_exhausted(dir);
        snprintf(error, size, "%s: %s; 'heddle check' fills such a folder", dir, strerror(errno));
        return NULL;
    }
    for (struct dirent *e; (e = readdir(d));) {
        HD_GROW(name, *count, room);
        name[(*count)++] = hd_strdup(e->d_name);
    }
    closedir(d);
    if (name)
        qsort(name, *count, sizeof *name, by_name);
    return name;
}

/* The program that a trace, a witness or an account is of; NULL: it is none of these, or cannot be read. */
static char *program_of(const char *path)
{
    char error[256], *program = NULL;
    const uint8_t *body;
    size_t size, body_size, end = 0;
    uint8_t *bytes = hd_file_read(path, &size, error, sizeof error);
    if (!bytes || hd_frame_next(bytes, size, &end, &body, &body_size) != HD_FRAME_OK) {
        free(bytes);
        return NULL;
    }
    if (ends_with(path, ".witness")) {
        Heddle__Witness *w = heddle__witness__unpack(NULL, body_size, body);
        program = w && w->header ? hd_strdup(w->header->program) : NULL;
        if (w)
            heddle__witness__free_unpacked(w, NULL);
    } else if (ends_with(path, ".account")) {
        Heddle__Account *a = heddle__account__unpack(NULL, body_size, body);
        program = a && a->header ? hd_strdup(a->header->program) : NULL;
        if (a)
            heddle__account__free_unpacked(a, NULL);
    } else {
        Heddle__TraceItem *t = heddle__trace_item__unpack(NULL, body_size, body);
        if (t && t->item_case == HEDDLE__TRACE_ITEM__ITEM_HEADER)
            program = hd_strdup(t->header->program);
        if (t)
            heddle__trace_item__free_unpacked(t, NULL);
    }
    free(bytes);
    return program;
}

/* To the program, or, where that is NULL, to any. What cannot be read to its end is nobody's. */
static bool belongs(const char *dir, const char *name, const char *program)
{
    char *path = hd_format("%s/%s", dir, name), *of = NULL;
    bool same = hd_file_ends(path);
    if (same && program) {
        of = program_of(path);
        same = of && strcmp(of, program) == 0;
    }
    free(of);
    free(path);
    return same;
}

static int read_account(struct hd_folder *f, const char *name, char *error, size_t size)
{
    char *path = hd_format("%s/%s", f->dir, name);
    Heddle__Account *a = hd_account_read(path, error, size);
    free(path);
    if (!a)
        return -1;
    f->account = hd_realloc(f->account, f->accounts + 1, sizeof *f->account);
    f->account[f->accounts++] = a;
    return 0;
}

int hd_folder_read(struct hd_folder *f, const char *dir, const char *program, char *error, size_t size)
{
    size_t count;
    *f = (struct hd_folder){.dir = dir};
    char **name = list(dir, &count, error, size);
    if (!name)
        return -1;
    f->trace = hd_alloc((count + 1) * sizeof *f->trace);
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        bool trace = ends_with(name[i], ".trace"), witness = ends_with(name[i], ".witness");
        if ((!trace && !witness && !ends_with(name[i], ".account")) || !belongs(dir, name[i], program))
            continue;
        if (trace)
            f->trace[f->traces++] = hd_strdup(name[i]);
        else
            failed = witness ? read_witness(f, name[i], error, size) : read_account(f, name[i], error, size);
    }
    for (size_t i = 0; i < count; i++)
        free(name[i]);
    free(name);
    if (!failed && !f->traces && !f->witnesses) {
        snprintf(error, size, "%s: no trace and no witness in it; run 'heddle check -o %s PROG' first", dir, dir);
        failed = -1;
    }
    if (!failed && f->witnesses)
        qsort(f->witness, f->witnesses, sizeof *f->witness, by_trace);
    return failed;
}

static void remove_file(const char *dir, const char *name, const char *ending)
{
    char *other = ending ? hd_with_ending(name, ending) : hd_strdup(name), *path = hd_format("%s/%s", dir, other);
    unlink(path);
    free(path);
    free(other);
}

void hd_folder_clear(const char *dir, const char *program)
{
    static const char *const endings[] = {".trace", ".witness", ".account", ".rerun"};
    char error[256];
    size_t count;
    char **name = list(dir, &count, error, sizeof error);
    for (size_t i = 0; name && i < count; i++) {
        bool ours = false;
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
            ours |= ends_with(name[i], endings[k]);
        if (ours && belongs(dir, name[i], program)) {
            remove_file(dir, name[i], NULL);
            if (ends_with(name[i], ".witness"))
                remove_file(dir, name[i], "verdict");
        }
        free(name[i]);
    }
    free(name);
}

void hd_folder_free(struct hd_folder *f)
{
    for (size_t i = 0; i < f->traces; i++)
        free(f->trace[i]);
    for (size_t i = 0; i < f->witnesses; i++) {
        free(f->witness[i].name);
        heddle__witness__free_unpacked(f->witness[i].w, NULL);
        if (f->witness[i].verdicts)
            heddle__verdict_file__free_unpacked(f->witness[i].verdicts, NULL);
    }
    for (size_t i = 0; i < f->accounts; i++)
        heddle__account__free_unpacked(f->account[i], NULL);
    free(f->trace);
    free(f->witness);
    free(f->account);
    *f = (struct hd_folder){0};
}

bool hd_folder_has_trace(const struct hd_folder *f, const char *name)
{
    for (size_t i = 0; i < f->traces; i++)
        if (strcmp(f->trace[i], name) == 0)
            return true;
    return false;
}
