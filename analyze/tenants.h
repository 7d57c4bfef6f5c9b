/* SPDX-License-Identifier: Apache-2.0
 * Locks, conditions and the like that live in heap blocks. Who uses one touches the
 * block, and after the block's free uses memory that is gone, though no access of the
 * compiler's says so.
 *
 * An object has a life: after a free, its address is another object's. So an object
 * belongs to the first free of its address after its first use; or, where that address
 * was freed before and not allocated since, to the free before. */
#ifndef HD_TENANTS_H
#define HD_TENANTS_H

#include "proto/trace.h"

struct hd_tenants {
    uint32_t *freed; /* per object: position of the FREE, or HD_NO_INDEX; NULL: no object has an address */
    uint32_t *free;  /* rising positions of those that other threads' uses, or later ones, meet */
    size_t frees;
};

void hd_tenants_find(const struct hd_trace *, struct hd_tenants *);
void hd_tenants_forget(struct hd_tenants *);
bool hd_tenants_free_at(const struct hd_tenants *, size_t position); /* is it in `free`? */

#endif
