/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "proto/kinds.h"
#include "proto/memory.h"

/* "0.3.2" is the second child of "0.3". */
static struct hd_plan_thread relation(const Heddle__Witness *w, size_t i)
{
    struct hd_plan_thread none = { UINT32_MAX, 0 };
    const char *path = w->thread[i], *dot = strrchr(path, '.');
    size_t length = dot ? (size_t)(dot - path) : 0;
    for (size_t p = 0; dot && p < i; p++)
        if (strncmp(w->thread[p], path, length) == 0 && !w->thread[p][length])
            return (struct hd_plan_thread){ (uint32_t)p, (uint32_t)strtoul(dot + 1, NULL, 10) };
    return none;
}

static uint64_t offset_of(const Heddle__Witness *w, const Heddle__Step *step, const struct hd_program *program)
{
    if (!step->anchor || strcmp(w->header->build_id, program->build_id) != 0)
        return 0;
    const Heddle__Anchor *anchor = w->anchor[step->anchor - 1];
    return strcmp(anchor->module, w->header->program) == 0 ? anchor->offset : 0;
}

static void add_slice(struct hd_schedule *s, const Heddle__Witness *w, const Heddle__Slice *slice,
                      const struct hd_program *program)
{
    struct hd_plan_slice *plan = &s->slice[s->slices++];
    *plan = (struct hd_plan_slice){ .thread = slice->thread,
                                    .first_check = s->checks,
                                    .checks = (uint32_t)slice->n_step };
    for (size_t i = 0; i < slice->n_step; i++) {
        const Heddle__Step *step = slice->step[i];
        s->check[s->checks++] = (struct hd_plan_check){
            .kind = step->kind, .n = step->n, .object = step->object, .offset = offset_of(w, step, program)
        };
    }
    if (!slice->stop)
        return;
    plan->stop_kind = slice->stop->kind;
    plan->stop_n = slice->stop->n;
    plan->stop_k = slice->stop->k;
    plan->stop_size = slice->stop->size;
    plan->stop_object = slice->stop->object;
    plan->stop_offset = offset_of(w, slice->stop, program);
}

void hd_schedule_make(struct hd_schedule *s, const Heddle__Witness *w, const struct hd_program *program)
{
    size_t checks = 0;
    for (size_t i = 0; i < w->n_slice; i++)
        checks += w->slice[i]->n_step;
    *s = (struct hd_schedule){ .threads = (uint32_t)w->n_thread };
    s->thread = hd_alloc((w->n_thread + 1) * sizeof *s->thread);
    s->slice = hd_alloc((w->n_slice + 1) * sizeof *s->slice);
    s->check = hd_alloc((checks + 1) * sizeof *s->check);
    for (size_t i = 0; i < w->n_thread; i++)
        s->thread[i] = relation(w, i);
    for (size_t i = 0; i < w->n_slice; i++)
        add_slice(s, w, w->slice[i], program);
    s->test = hd_format("%s\n%s", w->header->suite, w->header->test);
}

void hd_schedule_free(struct hd_schedule *s)
{
    free(s->thread);
    free(s->slice);
    free(s->check);
    free(s->test);
}
