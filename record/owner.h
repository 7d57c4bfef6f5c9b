/* SPDX-License-Identifier: Apache-2.0
 * Which words of memory are one thread's own, for now.
 *
 * Every 8-byte word has an entry: who wrote it last and who read it since, each
 * a code of thread and era (the creations that thread had made). A creation and
 * a join order two accesses in every run of the program, so a word may pass from
 * thread to thread that way and still be nobody else's; it may be read by many
 * while its writer comes before them all. A word with two accesses that are not
 * ordered so, one of them a write, is shared from then on.
 *
 * As long as a recording is within its budget this is only kept up. Beyond it,
 * accesses to words that are not shared are counted in k, and that is all, except
 * for the first ones of every site (access.c). What a word's only user did at hot
 * sites before it became shared is then not in the trace: its last value shows up
 * as an unseen write, and the trace says that it is reduced.
 *
 * Entries are found by the low bits of the address. Two addresses that meet in one
 * entry count as one word: that can only make it shared. */
#ifndef HD_OWNER_H
#define HD_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct hd_thread;

extern uint64_t *hd_owner_word __attribute__((visibility("hidden")));
extern uint64_t hd_owner_mask __attribute__((visibility("hidden")));
extern uint32_t hd_owner_readers __attribute__((visibility("hidden"))); /* reader's code: several, since all were one */

static inline uint64_t *hd_owner_of(uint64_t address)
{
    return (uint64_t *)((char *)hd_owner_word + (address & hd_owner_mask & ~7ull));
}

/* What is shared stays so. */
static inline bool hd_owner_is_shared(uint64_t address, unsigned size)
{
    return hd_owner_word && (address & 7) + size <= 8 && *hd_owner_of(address) == UINT64_MAX;
}

void hd_owner_reset(void);

/* The thread touches these bytes: are they shared? Needs the baton, as all here does. */
bool hd_owner_touch(struct hd_thread *, uint64_t address, unsigned size, bool writes);

void hd_owner_share(uint64_t address);
void hd_owner_forget(uint64_t address, uint64_t size); /* new memory, nobody's yet */
void hd_owner_created(struct hd_thread *self, struct hd_thread *child);
void hd_owner_joined(struct hd_thread *self, struct hd_thread *target);

#endif
