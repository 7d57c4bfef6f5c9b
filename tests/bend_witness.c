/* SPDX-License-Identifier: Apache-2.0
 * bend_witness HOW N IN OUT: a witness that is not what it was. HOW: `steps` swaps the N-th step with the
 * one after it, `slices` likewise, `thread` takes the N-th thread's slices away, `kind`, `n`, `k`, `object`
 * change a step or stop. With a '!' after HOW the digest is made anew, as if the witness were meant so.
 * Exits with 77 where there is no N-th. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/kinds.h"
#include "proto/witness_file.h"

static bool swap_steps(Heddle__Witness *w, size_t n)
{
    for (size_t i = 0; i < w->n_slice; i++)
        for (size_t k = 0; k + 1 < w->slice[i]->n_step; k++)
            if (n-- == 0) {
                Heddle__Step *one = w->slice[i]->step[k];
                w->slice[i]->step[k] = w->slice[i]->step[k + 1];
                w->slice[i]->step[k + 1] = one;
                return true;
            }
    return false;
}

static bool swap_slices(Heddle__Witness *w, size_t n)
{
    if (n + 1 >= w->n_slice)
        return false;
    Heddle__Slice *one = w->slice[n];
    w->slice[n] = w->slice[n + 1];
    w->slice[n + 1] = one;
    return true;
}

static bool drop_thread(Heddle__Witness *w, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n_slice; i++)
        if (w->slice[i]->thread == n)
            heddle__slice__free_unpacked(w->slice[i], NULL);
        else
            w->slice[kept++] = w->slice[i];
    bool changed = kept != w->n_slice && kept;
    w->n_slice = kept;
    return changed;
}

static Heddle__Step *nth_step(Heddle__Witness *w, size_t n)
{
    for (size_t i = 0; i < w->n_slice; i++) {
        for (size_t k = 0; k < w->slice[i]->n_step; k++)
            if (n-- == 0)
                return w->slice[i]->step[k];
        if (w->slice[i]->stop && n-- == 0)
            return w->slice[i]->stop;
    }
    return NULL;
}

static bool change_step(Heddle__Witness *w, const char *how, size_t n)
{
    Heddle__Step *step = nth_step(w, n);
    if (!step)
        return false;
    if (strcmp(how, "kind") == 0)
        step->kind = hd_kind_is_access(step->kind) ? HD_LOCK : step->kind == HD_LOCK ? HD_UNLOCK : HD_LOCK;
    else if (strcmp(how, "n") == 0)
        step->n += 1;
    else if (strcmp(how, "k") == 0 && hd_kind_is_access(step->kind))
        step->k += 1000;
    else if (strcmp(how, "object") == 0 && step->object && w->n_object > 1)
        step->object = step->object % (uint32_t)w->n_object + 1;
    else
        return false;
    return true;
}

static bool bend(Heddle__Witness *w, const char *how, size_t n)
{
    if (strcmp(how, "steps") == 0)
        return swap_steps(w, n);
    if (strcmp(how, "slices") == 0)
        return swap_slices(w, n);
    return strcmp(how, "thread") == 0 ? drop_thread(w, n) : change_step(w, how, n);
}

int main(int argc, char **argv)
{
    char error[512], how[16] = "";
    if (argc != 5 || sscanf(argv[1], "%15[a-z]", how) != 1)
        return 2;
    Heddle__Witness *w = hd_witness_read(argv[3], error, sizeof error);
    if (!w)
        return 2;
    int failed = 77;
    if (bend(w, how, strtoul(argv[2], NULL, 10)))
        failed = strchr(argv[1], '!') ? hd_witness_write(argv[4], w, error, sizeof error)
                                      : hd_message_write(argv[4], &w->base, error, sizeof error);
    heddle__witness__free_unpacked(w, NULL);
    return failed;
}
