/* SPDX-License-Identifier: Apache-2.0
 * What part of a variable an address is: "queue.slot[3].owner", by the types that
 * the debug information has. Of a union's members, it is the first that has a
 * part of the access's size there. Names that the language keeps for itself (`__lock`, `_M_mutex`) are not
 * the user's: the path ends before them.
 *
 * Made for one module at its first question; answers until it is freed. */
#ifndef HD_MEMBERS_H
#define HD_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

struct hd_members;
struct hd_members *hd_members_new(Dwfl_Module *);
void hd_members_free(struct hd_members *);

/* ".slot[3].owner", "+8", "": to be freed. `variable` is an address as the symbol table has it, the access is of
 * `size` bytes at `offset` in it; 0: all that begins there is meant. */
char *hd_members_path(struct hd_members *, uint64_t variable, uint64_t offset, uint64_t size);

#endif
