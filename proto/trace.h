/* SPDX-License-Identifier: Apache-2.0
 * A trace in memory, and the file it comes from.
 *
 * A trace is one total order of events. An event's identity is
 * (thread, n, k): n is the index of the thread's synchronization event at or
 * before it, k its number among the accesses since (accesses only). Positions
 * in `event` are what `--account` prints. Addresses are data, never identity.
 *
 * Readers never trust a length: every index in an event that trace_read()
 * returns is within its table. Indexes here are plain (0-based); HD_NO_INDEX
 * stands for none. */
#ifndef HD_TRACE_H
#define HD_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/kinds.h"

#define HD_NO_INDEX UINT32_MAX
#define HD_NO_LINE UINT64_MAX /* offset of a site that is a source as a whole */

struct hd_event {
    uint64_t address; /* accesses: first byte; ALLOC/FREE: the block */
    uint64_t value;   /* accesses: little endian; ALLOC: bytes; CREATE/JOIN: thread index;
                         BLOCKED: kind waited for; ASSERT: 1 held */
    uint64_t second;  /* ATOMIC_RMW: the value written; else 0 */
    uint32_t thread;
    uint32_t object; /* synchronization on an object; BLOCKED too */
    uint32_t n, k;
    uint32_t stack; /* the function that made the event, and its callers */
    uint32_t site;  /* return address of the call-out */
    uint8_t kind;   /* enum hd_kind */
    uint8_t size;   /* accesses: 1..8 bytes */
};

struct hd_module { char *path, *build_id; uint64_t base, size; }; /* size 0: a source, its sites' offsets are lines */
struct hd_site { uint32_t module; uint64_t offset; };
struct hd_stack { uint32_t parent, site; };
struct hd_thread_info { char *path; uint64_t stack_low, stack_size; char *name; }; /* name: imported, or NULL */
struct hd_object { uint32_t kind; uint64_t address; };
struct hd_datum { uint64_t address; uint32_t size; char *name; }; /* imported; sorted by address */
struct hd_note { uint64_t position; char *file, *text; uint32_t line; bool failed; };

struct hd_trace {
    char *program, *build_id, *suite, *test, *cwd, **argv;
    char *declare; /* file of declared primitives, "" for none */
    size_t argc;
    uint64_t seed;
    bool has_values, aslr_off;
    bool complete;        /* an end was written */
    bool truncated;       /* the file was cut inside a message */
    bool last_unknown;    /* the value of the last event was not taken */
    bool reduced;         /* past a budget, only accesses to shared words were kept */
    bool capped;          /* past a size, no accesses were kept */
    unsigned outcome, detail; /* Heddle__Outcome */
    char *outcome_text;

    struct hd_event *event;
    size_t events, events_room;
    struct hd_module *module;
    size_t modules;
    struct hd_site *site;
    size_t sites;
    struct hd_stack *stack;
    size_t stacks;
    struct hd_thread_info *thread;
    size_t threads;
    struct hd_object *object;
    size_t objects;
    struct hd_note *note;
    size_t notes;
    struct hd_datum *datum;
    size_t data;
};

struct hd_trace *hd_trace_new(void);
void hd_trace_free(struct hd_trace *);

/* Growing a trace; indexes come back, strings are copied. Out of memory aborts
 * with one line (proto/memory.h). */
uint32_t hd_trace_add_module(struct hd_trace *, const char *path, const char *build_id, uint64_t base, uint64_t size);
uint32_t hd_trace_add_site(struct hd_trace *, uint32_t module, uint64_t offset);
uint32_t hd_trace_add_stack(struct hd_trace *, uint32_t parent, uint32_t site);
uint32_t hd_trace_add_thread(struct hd_trace *, const char *path, uint64_t stack_low, uint64_t stack_size);
uint32_t hd_trace_add_object(struct hd_trace *, uint32_t kind, uint64_t address);
bool hd_trace_has_failed_note(const struct hd_trace *);
void hd_trace_add_note(struct hd_trace *, uint64_t position, const char *file, uint32_t line, const char *text, bool failed);
void hd_trace_add_datum(struct hd_trace *, uint64_t address, uint32_t size, const char *name);
void hd_trace_name_thread(struct hd_trace *, uint32_t thread, const char *name);
struct hd_event *hd_trace_add_event(struct hd_trace *);

/* NULL and one line in `error` (file, place, remedy) where the file is not a
 * trace, is newer, or is damaged. A cut tail is read up to the cut. */
struct hd_trace *hd_trace_read(const char *path, char *error, size_t error_size);

/* Written to a temporary name, then renamed. 0, or -1 and a line in `error`. */
int hd_trace_write(const struct hd_trace *, const char *path, char *error, size_t error_size);

#endif
