/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"
#include "proto/std_text.h"

struct range { uint64_t low, high; uint32_t variable; };

struct printer {
    const struct hd_trace *t;
    FILE *out;
    struct range *range; /* disjoint, rising: what one variable covers */
    size_t ranges;
    uint32_t variables;
    uint32_t *asleep; /* by object: waiting, not yet signalled */
};

/* --------------------------------------------------------- variables */

static bool touches_memory(const struct hd_event *e)
{
    return e->kind == HD_READ || e->kind == HD_WRITE || hd_kind_is_atomic(e->kind);
}

static struct range range_of(const struct hd_event *e)
{
    uint64_t size = e->size ? e->size : 1;
    return (struct range){e->address, e->address > UINT64_MAX - size ? UINT64_MAX : e->address + size, 0};
}

static int by_low(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

static void find_variables(struct printer *p)
{
    size_t n = 0, kept = 0;
    p->range = hd_realloc(NULL, p->t->events, sizeof *p->range);
    for (size_t i = 0; i < p->t->events; i++)
        if (touches_memory(&p->t->event[i]))
            p->range[n++] = range_of(&p->t->event[i]);
    qsort(p->range, n, sizeof *p->range, by_low);
    for (size_t i = 0; i < n; i++) {
        if (kept && p->range[i].low < p->range[kept - 1].high) {
            if (p->range[i].high > p->range[kept - 1].high)
                p->range[kept - 1].high = p->range[i].high;
        } else {
            p->range[kept++] = p->range[i];
        }
    }
    p->ranges = kept;
}

/* Numbered by first use, from 1. */
static uint32_t variable_at(struct printer *p, uint64_t address)
{
    size_t low = 0, high = p->ranges;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->range[middle].low <= address)
            low = middle;
        else
            high = middle;
    }
    if (!p->range[low].variable)
        p->range[low].variable = ++p->variables;
    return p->range[low].variable;
}

/* ------------------------------------------------------------- names */

static const char *name_at(const struct hd_trace *t, uint64_t address)
{
    size_t low = 0, high = t->data;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->datum[middle].address == address)
            return t->datum[middle].name;
        if (t->datum[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* A name must not break the line it is in. */
static void put_name(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(*name < ' ' || *name > '~' || *name == '|' ? '_' : *name, out);
}

static void put_thread(struct printer *p, uint64_t thread)
{
    const struct hd_thread_info *info = &p->t->thread[thread];
    if (!info->name)
        fputc('T', p->out);
    put_name(p->out, info->name ? info->name : info->path);
}

static void put_location(struct printer *p, uint32_t site)
{
    if (site == HD_NO_INDEX) {
        fputs("|0\n", p->out);
        return;
    }
    const struct hd_site *at = &p->t->site[site];
    const struct hd_module *source = at->module < p->t->modules ? &p->t->module[at->module] : NULL;
    fputc('|', p->out);
    if (source && source->size == 0 && at->offset == HD_NO_LINE)
        put_name(p->out, source->path);
    else
        fprintf(p->out, "%llu", source && source->size == 0 ? (unsigned long long)at->offset : site + 1ull);
    fputc('\n', p->out);
}

/* ------------------------------------------------------------- lines */

static void put_line(struct printer *p, const struct hd_event *e, const char *word, char letter, uint64_t number,
                     const char *name)
{
    put_thread(p, e->thread);
    fprintf(p->out, "|%s(", word);
    if (name)
        put_name(p->out, name);
    else
        fprintf(p->out, "%c%llu", letter, (unsigned long long)number);
    fputc(')', p->out);
    put_location(p, e->site);
}

static void put_access(struct printer *p, const struct hd_event *e, const char *word)
{
    put_line(p, e, word, 'V', variable_at(p, e->address), name_at(p->t, e->address));
}

static void put_object(struct printer *p, const struct hd_event *e, const char *word, char letter, uint64_t object)
{
    put_line(p, e, word, letter, object, name_at(p->t, p->t->object[object].address));
}

static void put_spawn(struct printer *p, const struct hd_event *e, const char *word)
{
    put_thread(p, e->thread);
    fprintf(p->out, "|%s(", word);
    put_thread(p, e->value);
    fputc(')', p->out);
    put_location(p, e->site);
}

/* A signal wakes one thread, a broadcast all that are asleep: as many signals. */
static bool put_condition(struct printer *p, const struct hd_event *e)
{
    uint32_t *asleep = &p->asleep[e->object], signals = 1;
    switch (e->kind) {
    case HD_COND_WAIT:
        if (e->value == 0)
            return false;
        ++*asleep;
        put_object(p, e, "rel", 'L', e->value - 1);
        return true;
    case HD_COND_WAKE:
        if (e->value)
            put_object(p, e, "wake", 'S', e->object);
        else
            *asleep -= *asleep > 0;
        return true;
    default:
        if (e->kind == HD_BROADCAST && *asleep > 1)
            signals = *asleep;
        *asleep -= *asleep < signals ? *asleep : signals;
        while (signals-- > 0)
            put_object(p, e, "sig", 'S', e->object);
        return true;
    }
}

/* False where STD has no word for it. */
static bool put_event(struct printer *p, const struct hd_event *e)
{
    switch (e->kind) {
    case HD_READ:
    case HD_ATOMIC_LOAD: put_access(p, e, "r"); return true;
    case HD_WRITE:
    case HD_ATOMIC_STORE: put_access(p, e, "w"); return true;
    case HD_ATOMIC_RMW:
        put_access(p, e, "r");
        put_access(p, e, "w");
        return true;
    case HD_CREATE: put_spawn(p, e, "fork"); return true;
    case HD_JOIN: put_spawn(p, e, "join"); return true;
    case HD_START:
    case HD_END:
    case HD_QUANTUM:
    case HD_YIELD:
    case HD_SLEEP: return true; /* nothing is lost */
    default: break;
    }
    if (e->object == HD_NO_INDEX)
        return !hd_kind_is_sync(e->kind) && !hd_kind_is_access(e->kind);
    switch (e->kind) {
    case HD_LOCK: put_object(p, e, "acq", 'L', e->object); return true;
    case HD_UNLOCK: put_object(p, e, "rel", 'L', e->object); return true;
    case HD_COND_WAIT:
    case HD_COND_WAKE:
    case HD_SIGNAL:
    case HD_BROADCAST: return put_condition(p, e);
    default: return !hd_kind_is_sync(e->kind) && !hd_kind_is_access(e->kind);
    }
}

void hd_std_print(const struct hd_trace *t, FILE *out, size_t *left_out)
{
    struct printer p = {.t = t, .out = out};
    p.asleep = hd_alloc((t->objects + 1) * sizeof *p.asleep);
    find_variables(&p);
    for (size_t i = 0; i < t->events && !ferror(out); i++)
        if (!put_event(&p, &t->event[i]))
            left_out[t->event[i].kind]++;
    free(p.range);
    free(p.asleep);
}
