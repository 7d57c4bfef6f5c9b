/* SPDX-License-Identifier: Apache-2.0
 * Random well-formed traces: a random program, run at random. Every primitive
 * has its turn, a few in each trace. How much fits in a trace is a matter of the
 * program that includes this: -DRANDOM_THREADS and so on. */
#ifndef HD_RANDOM_TRACE_H
#define HD_RANDOM_TRACE_H

#include "proto/trace.h"

#ifndef RANDOM_THREADS
#define RANDOM_THREADS 4
#define RANDOM_EVENTS 40
#define RANDOM_BYTES 16
#endif

enum { THREADS = RANDOM_THREADS, LOCKS = 3, EVENTS = RANDOM_EVENTS, BYTES = RANDOM_BYTES };
enum { RWLOCK = LOCKS, COND, BARRIER, SEMAPHORE, ONCE, USER, OBJECTS };

struct made { /* the program, half run */
    struct hd_trace *t;
    unsigned threads, bytes, heap, first[EVENTS + 4];
    uint8_t memory[BYTES], initial[BYTES];
    bool seen[BYTES], written[BYTES]; /* seen: the initial contents are known */
    unsigned created, n[THREADS], k[THREADS];
    bool started[THREADS], ended[THREADS], joined[THREADS];
    int depth[THREADS][LOCKS + 1];
    bool writing; /* the rwlock */
    bool waiting[THREADS], signalled[THREADS];
    unsigned entered[THREADS]; /* barrier: 1 + generation */
    unsigned generation, inside;
    unsigned semaphore, semaphore_start;
    bool semaphore_used;
    unsigned once; /* 0, 1 + thread, or 100 */
    bool before;
    bool nested; /* locks are kept long */
    bool polite; /* the rwlock's readers give way to writers who wait */
    unsigned places;  /* as many times the usual places to access */
    unsigned lasting; /* more than 1: a thread seldom ends, a wait seldom times out */
};

unsigned pick(unsigned n);
uint64_t object_address(unsigned object);
/* Does it touch what its object is made of? Waking and coming out do not. */
bool touches_object(const struct hd_event *);
/* The free that ends the object's block: the one before its first use, where the memory did not come back, or
 * the first one after. -1: none. */
int end_of_block(const struct made *, unsigned object);
void generate(struct made *, unsigned seed);
/* With so many threads and events; `places` times as much memory. */
void generate_long(struct made *, unsigned seed, unsigned threads, unsigned events, unsigned places);

#endif
