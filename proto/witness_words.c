/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/witness_words.h"

#include <stdlib.h>
#include <string.h>

#include "proto/kinds.h"
#include "proto/memory.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *ordinal(unsigned n)
{
    unsigned tens = n / 10 % 10, ones = n % 10;
    return hd_format("%u%s", n, tens == 1 ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
}

char *hd_anchor_words(const Heddle__Witness *w, uint32_t anchor)
{
    const Heddle__Anchor *a = w->anchor[anchor - 1];
    if (a->line)
        return hd_format("%s:%u", base_name(a->file), a->line);
    return hd_format("%s+0x%llx", base_name(a->module), (unsigned long long)a->offset);
}

/* " (`m`, bank.c:31)", or what of it there is. */
static char *details(const Heddle__Witness *w, const Heddle__Step *step)
{
    char *place = step->anchor ? hd_anchor_words(w, step->anchor) : hd_strdup(""), *text;
    const char *object = step->object ? w->object[step->object - 1] : "";
    if (step->object)
        text = hd_format(" (`%s`%s%s)", object, *place ? ", " : "", place);
    else
        text = *place ? hd_format(" (%s)", place) : hd_strdup("");
    free(place);
    return text;
}

char *hd_step_words(const Heddle__Witness *w, const Heddle__Step *step)
{
    char *more = details(w, step), *count = ordinal(step->nth), *text;
    if (hd_kind_is_access(step->kind))
        text = hd_format("%s%s%s%s%s", hd_kind_word(step->kind), *step->datum ? " of `" : "", step->datum,
                         *step->datum ? "`" : "", more);
    else if (step->nth && step->kind != HD_START && step->kind != HD_END)
        text = hd_format("%s %s%s", count, hd_kind_word(step->kind), more);
    else
        text = hd_format("%s%s", hd_kind_word(step->kind), more);
    free(more);
    free(count);
    return text;
}

char *hd_slice_words(const Heddle__Witness *w, const Heddle__Slice *slice)
{
    if (!slice->stop)
        return hd_strdup(slice->step[slice->n_step - 1]->kind == HD_END ? "runs to its end" : "runs until it waits");
    char *stop = hd_step_words(w, slice->stop);
    char *text = hd_format("runs until just before its %s", stop);
    free(stop);
    return text;
}
