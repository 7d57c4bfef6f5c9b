/* SPDX-License-Identifier: Apache-2.0
 * The independent checker: makes the events of a schedule one by one, on bytes,
 * locks, conditions and semaphores of its own. Nothing here comes from the
 * engine, and nothing of it is for the engine.
 *
 * What a trace says once (who wrote the bytes a read saw, what must come before
 * an event, how semaphores began, which locks it uses against the rules) is
 * surveyed once; then any number of schedules can be checked. */
#ifndef HD_CHECK_H
#define HD_CHECK_H

#include "proto/trace.h"

struct hd_byte {
    uint64_t address;
    size_t epoch; /* 1 + event that made this memory; 0: always there */
    bool used, shared, written, initial_known;
    uint8_t initial;
    uint32_t toucher;
    uint64_t last; /* survey: 1 + event that wrote last */
};

struct hd_require { size_t event, before; };

struct hd_holder { uint32_t thread, depth; bool shared; };
struct hd_holders { struct hd_holder *holder; size_t count, room; };

struct hd_survey {
    const struct hd_trace *t;
    bool strict; /* writers, not values */
    struct hd_byte *byte;
    size_t mask;
    size_t *where;    /* per event: first entry in `touch` */
    uint32_t *touch;  /* bytes of every data access */
    uint64_t *origin; /* of bytes read: 1 + who wrote them in the trace */
    size_t touches, touch_room, origin_room;
    struct hd_require *require; /* by event */
    size_t requires, require_room;
    size_t *end;        /* per thread: 1 + its END */
    int64_t *semaphore; /* per object: the count before the trace */
    bool *odd;          /* per object: a lock used against the rules */
};

void hd_survey_make(struct hd_survey *, const struct hd_trace *, bool strict);
void hd_survey_free(struct hd_survey *);

bool hd_event_touches(const struct hd_event *);
bool hd_event_reads(const struct hd_event *);
bool hd_event_writes(const struct hd_event *);

/* The lock an event is about: of a wait, the mutex it lets go. HD_NO_INDEX: none. */
uint32_t hd_event_lock(const struct hd_trace *, const struct hd_event *);

/* Would this acquire wait for another thread? */
bool hd_holders_bar(struct hd_holders *, const struct hd_event *);

/* Applies a lock event. NULL, or what forbids it. */
const char *hd_holders_apply(struct hd_holders *, const struct hd_event *);

#endif
