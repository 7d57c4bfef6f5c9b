/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/gdb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/memory.h"
#include "proto/witness_words.h"
#include "symbols/ending.h"

static void write_step(FILE *f, const Heddle__Witness *w, size_t i)
{
    char *words = hd_slice_words(w, w->slice[i]);
    fprintf(f, "%zu\t%s\t%s\n", i + 1, w->thread[w->slice[i]->thread], words);
    free(words);
}

static int write_steps(const struct hd_gdb *gdb, const Heddle__Witness *w)
{
    char *path = hd_format("%s/steps", gdb->folder);
    FILE *f = fopen(path, "we");
    free(path);
    if (!f)
        return -1;
    fprintf(f, "%s\n", w->finding->title);
    for (size_t i = 0; i < w->n_slice; i++)
        write_step(f, w, i);
    return fclose(f);
}

int hd_gdb_prepare(struct hd_gdb *gdb, const Heddle__Witness *w, const struct hd_program *program, const char *name,
                   const char *commands, const char *batch, char *error, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(gdb->folder, sizeof gdb->folder, "%s/heddle-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    if (batch && access(batch, R_OK) != 0) {
        snprintf(error, size, "%s: %s", batch, strerror(errno));
        return -1;
    }
    if (!mkdtemp(gdb->folder) || write_steps(gdb, w) != 0) {
        snprintf(error, size, "%s: %s", gdb->folder, strerror(errno));
        return -1;
    }
    setenv("HEDDLE_GDB_FOLDER", gdb->folder, 1);
    gdb->argv = hd_alloc((w->header->n_argv + 16) * sizeof *gdb->argv);
    size_t n = 0;
    gdb->argv[n++] = hd_strdup(name);
    gdb->argv[n++] = hd_strdup("-q");
    if (batch)
        gdb->argv[n++] = hd_strdup("-batch");
    gdb->argv[n++] = hd_strdup("-x");
    gdb->argv[n++] = hd_strdup(commands);
    if (batch) {
        gdb->argv[n++] = hd_strdup("-x");
        gdb->argv[n++] = realpath(batch, NULL);
    }
    gdb->argv[n++] = hd_strdup("--args");
    gdb->argv[n++] = hd_strdup(program->path);
    for (size_t i = 1; i < w->header->n_argv; i++)
        gdb->argv[n++] = hd_strdup(w->header->argv[i]);
    return 0;
}

static void set(struct hd_replay *r, Heddle__Verdict__Kind kind, unsigned outcome, unsigned detail, char *text)
{
    free(r->text);
    r->kind = kind;
    r->outcome = outcome;
    r->detail = detail;
    r->text = text;
}

/* The same words as without gdb. */
static char *crash_words(struct hd_replay *r, unsigned number)
{
    if (!r->trace)
        return hd_strdup(strsignal((int)number));
    r->trace->outcome = HEDDLE__OUTCOME__CRASHED;
    r->trace->detail = number;
    return hd_ending_words(r->trace);
}

/* Not its exit status alone, which gdb keeps to itself. */
static bool assertion_failed(const struct hd_replay *r, const Heddle__Witness *w)
{
    return r->outcome == HEDDLE__OUTCOME__ASSERTION_FAILED &&
           (*w->header->suite || (r->trace && hd_trace_has_failed_note(r->trace)));
}

/* "signal N", "exit N", "left": gdb was left while the test was under way. */
static void correct(struct hd_replay *r, const char *word, unsigned number, const Heddle__Witness *w)
{
    bool reached = r->slices_done == w->n_slice;
    bool decided = r->kind == HEDDLE__VERDICT__KIND__DIVERGED || r->outcome == HEDDLE__OUTCOME__DEADLOCKED ||
                   assertion_failed(r, w);
    if (decided)
        return;
    if (strcmp(word, "signal") == 0 && reached) {
        set(r, HEDDLE__VERDICT__KIND__FAILING, HEDDLE__OUTCOME__CRASHED, number, crash_words(r, number));
        hd_replay_look_for_use_after_free(r, w);
    } else if (strcmp(word, "exit") == 0 && number && reached && !*w->header->suite)
        set(r, HEDDLE__VERDICT__KIND__FAILING, HEDDLE__OUTCOME__EXITED, number, hd_format("exit status %u", number));
    else if (strcmp(word, "exit") != 0)
        set(r, HEDDLE__VERDICT__KIND__NOT_REACHED, HEDDLE__OUTCOME__KILLED, 0,
            hd_format("gdb was left at step %u of %zu", r->slices_done, w->n_slice));
}

void hd_gdb_finish(struct hd_gdb *gdb, struct hd_replay *r, const Heddle__Witness *w)
{
    char *ending = hd_format("%s/ending", gdb->folder), *steps = hd_format("%s/steps", gdb->folder);
    char word[16] = "left", digits[16] = "0";
    FILE *f = fopen(ending, "re");
    if (f) {
        if (fscanf(f, "%15s %15s", word, digits) < 1)
            strcpy(word, "left");
        fclose(f);
    }
    if (r->text)
        correct(r, word, (unsigned)strtoul(digits, NULL, 10), w);
    unlink(ending);
    unlink(steps);
    rmdir(gdb->folder);
    free(ending);
    free(steps);
    for (size_t i = 0; gdb->argv && gdb->argv[i]; i++)
        free(gdb->argv[i]);
    free(gdb->argv);
}
