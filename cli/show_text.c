/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "proto/witness_words.h"
#include "replay/verdict.h"

#define COLUMN 4
#define WIDTH 64

int hd_show_column(size_t thread, size_t threads)
{
    size_t step = threads * COLUMN <= WIDTH ? COLUMN : threads * 2 <= WIDTH ? 2 : 1;
    return (int)(thread * step % WIDTH);
}

static void show_slices(const Heddle__Witness *w)
{
    printf("\nschedule\n");
    for (size_t i = 0; i < w->n_slice; i++) {
        const Heddle__Slice *slice = w->slice[i];
        char *words = hd_slice_words(w, slice);
        printf("%4zu  %*s%s %s\n", i + 1, hd_show_column(slice->thread, w->n_thread), "", w->thread[slice->thread],
               words);
        free(words);
    }
}

static void show_role(const Heddle__Witness *w, const Heddle__Role *role)
{
    char *words = hd_step_words(w, role->at);
    printf("\n%s: %s, %s", role->name, w->thread[role->thread], words);
    free(words);
    if (role->has_value)
        printf(" = %llu", (unsigned long long)role->value);
    for (size_t j = 0; j < role->n_held; j++)
        printf("%s`%s`", j ? ", " : ", holding ", w->object[role->held[j] - 1]);
    putchar('\n');
    for (size_t j = 0; j < role->n_stack; j++) {
        char *place = hd_anchor_words(w, role->stack[j]);
        printf("    #%zu %s %s\n", j, w->anchor[role->stack[j] - 1]->function, place);
        free(place);
    }
}

void hd_show_witness(const Heddle__Witness *w, const struct hd_trace *t)
{
    printf("%s\n%s\n\n", w->finding->title, w->finding->sentence);
    printf("program  %s\n", *w->header->program ? w->header->program : "(imported)");
    printf("test     %s%s%s\n", w->header->suite, *w->header->suite ? "/" : "", w->header->test);
    printf("threads ");
    for (size_t i = 0; i < w->n_thread; i++)
        printf(" %s", w->thread[i]);
    printf("\nswitches %u\n", w->context_switches);
    printf("id       %s\n", w->finding->id);
    if (w->rerun_of)
        printf("found in the rerun of witness %u\n", w->rerun_of);
    if (w->expected)
        printf("expected %s%s%s\n", hd_outcome_word((unsigned)w->expected->outcome), *w->expected->text ? ": " : "",
               w->expected->text);
    if (t)
        hd_show_story(w, t);
    show_slices(w);
    for (size_t i = 0; i < w->finding->n_role; i++)
        show_role(w, w->finding->role[i]);
}

void hd_show_verdicts(const Heddle__VerdictFile *file)
{
    for (size_t i = 0; i < file->n_verdict; i++) {
        const Heddle__Verdict *v = file->verdict[i];
        printf("%s  %s  %s", hd_verdict_word(v->kind), v->witness, hd_outcome_word((unsigned)v->outcome));
        if (v->detail)
            printf(" %u", v->detail);
        printf("%s%s  (%u slices, %llu events)\n", *v->text ? ": " : "", v->text, v->slices_done,
               (unsigned long long)v->events);
    }
}
