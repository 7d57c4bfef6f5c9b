/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/trace.h"

#include <stdlib.h>
#include "proto/memory.h"

/* Table sizes have no room field: they grow at powers of two. */
static void *grow_table(void *table, size_t used, size_t size)
{
    if (used & (used - 1))
        return table;
    if (used != 0 && used < 16)
        return table;
    return hd_realloc(table, used ? used * 2 : 16, size);
}

struct hd_trace *hd_trace_new(void)
{
    struct hd_trace *trace = hd_alloc(sizeof *trace);
    trace->program = hd_strdup("");
    trace->build_id = hd_strdup("");
    trace->suite = hd_strdup("");
    trace->test = hd_strdup("");
    trace->cwd = hd_strdup("");
    trace->declare = hd_strdup("");
    trace->outcome_text = hd_strdup("");
    return trace;
}

void hd_trace_free(struct hd_trace *trace)
{
    if (!trace)
        return;
    free(trace->program);
    free(trace->build_id);
    free(trace->suite);
    free(trace->test);
    free(trace->cwd);
    free(trace->declare);
    free(trace->outcome_text);
    for (size_t i = 0; i < trace->argc; i++)
        free(trace->argv[i]);
    free(trace->argv);
    for (size_t i = 0; i < trace->modules; i++) {
        free(trace->module[i].path);
        free(trace->module[i].build_id);
    }
    for (size_t i = 0; i < trace->threads; i++) {
        free(trace->thread[i].path);
        free(trace->thread[i].name);
    }
    for (size_t i = 0; i < trace->data; i++)
        free(trace->datum[i].name);
    for (size_t i = 0; i < trace->notes; i++) {
        free(trace->note[i].file);
        free(trace->note[i].text);
    }
    free(trace->event);
    free(trace->module);
    free(trace->site);
    free(trace->stack);
    free(trace->thread);
    free(trace->object);
    free(trace->note);
    free(trace->datum);
    free(trace);
}

uint32_t hd_trace_add_module(struct hd_trace *trace, const char *path, const char *build_id, uint64_t base,
                             uint64_t size)
{
    trace->module = grow_table(trace->module, trace->modules, sizeof *trace->module);
    trace->module[trace->modules] = (struct hd_module){hd_strdup(path), hd_strdup(build_id), base, size};
    return (uint32_t)trace->modules++;
}

uint32_t hd_trace_add_site(struct hd_trace *trace, uint32_t module, uint64_t offset)
{
    trace->site = grow_table(trace->site, trace->sites, sizeof *trace->site);
    trace->site[trace->sites] = (struct hd_site){module, offset};
    return (uint32_t)trace->sites++;
}

uint32_t hd_trace_add_stack(struct hd_trace *trace, uint32_t parent, uint32_t site)
{
    trace->stack = grow_table(trace->stack, trace->stacks, sizeof *trace->stack);
    trace->stack[trace->stacks] = (struct hd_stack){parent, site};
    return (uint32_t)trace->stacks++;
}

uint32_t hd_trace_add_thread(struct hd_trace *trace, const char *path, uint64_t stack_low, uint64_t stack_size)
{
    trace->thread = grow_table(trace->thread, trace->threads, sizeof *trace->thread);
    trace->thread[trace->threads] = (struct hd_thread_info){hd_strdup(path), stack_low, stack_size, NULL};
    return (uint32_t)trace->threads++;
}

uint32_t hd_trace_add_object(struct hd_trace *trace, uint32_t kind, uint64_t address)
{
    trace->object = grow_table(trace->object, trace->objects, sizeof *trace->object);
    trace->object[trace->objects] = (struct hd_object){kind, address};
    return (uint32_t)trace->objects++;
}

bool hd_trace_has_failed_note(const struct hd_trace *trace)
{
    for (size_t i = 0; i < trace->notes; i++)
        if (trace->note[i].failed)
            return true;
    return false;
}

void hd_trace_add_note(struct hd_trace *trace, uint64_t position, const char *file, uint32_t line, const char *text,
                       bool failed)
{
    trace->note = grow_table(trace->note, trace->notes, sizeof *trace->note);
    trace->note[trace->notes++] = (struct hd_note){position, hd_strdup(file), hd_strdup(text), line, failed};
}

void hd_trace_add_datum(struct hd_trace *trace, uint64_t address, uint32_t size, const char *name)
{
    trace->datum = grow_table(trace->datum, trace->data, sizeof *trace->datum);
    trace->datum[trace->data++] = (struct hd_datum){address, size, hd_strdup(name)};
}

void hd_trace_name_thread(struct hd_trace *trace, uint32_t thread, const char *name)
{
    free(trace->thread[thread].name);
    trace->thread[thread].name = hd_strdup(name);
}

struct hd_event *hd_trace_add_event(struct hd_trace *trace)
{
    HD_GROW(trace->event, trace->events, trace->events_room);
    struct hd_event *event = &trace->event[trace->events++];
    *event = (struct hd_event){.object = HD_NO_INDEX, .stack = HD_NO_INDEX, .site = HD_NO_INDEX};
    return event;
}
