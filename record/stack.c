/* SPDX-License-Identifier: Apache-2.0
 * Call stacks as a tree: a node is (caller's node, pc of the call), numbered by
 * first use. A whole stack is one id, looked up only when an event has it. */
#include <string.h>

#include "record/runtime.h"

#define SLOTS (1u << 16)

static struct { uint64_t pc; uint32_t parent, node; } *slot;
static uint32_t nodes;

/* The slot index depends on addresses, the node numbers do not. */
static uint32_t child_of(uint32_t parent, uint64_t pc)
{
    uint64_t h = (pc ^ (uint64_t)parent << 40) * 0x9E3779B97F4A7C15ull;
    for (uint32_t i = (uint32_t)(h >> 48) % SLOTS, tries = 0; tries < 64; i = (i + 1) % SLOTS, tries++) {
        if (slot[i].node && slot[i].pc == pc && slot[i].parent == parent)
            return slot[i].node;
        if (!slot[i].node) {
            slot[i].pc = pc;
            slot[i].parent = parent;
            slot[i].node = ++nodes;
            struct hd_record *r = hd_ring_append(NULL, HD_RING_STACK);
            r->value = parent;
            r->addr_k = pc & HD_48;
            hd_ring_publish();
            return nodes;
        }
    }
    return parent;
}

uint32_t hd_stack_node(struct hd_thread *t)
{
    uint32_t known = t->frames;
    while (known && !t->frame[known - 1].node)
        known--;
    uint32_t node = known ? t->frame[known - 1].node : 0;
    for (; known < t->frames; known++)
        t->frame[known].node = node = child_of(node, t->frame[known].pc);
    return node;
}

void hd_stack_reset(void)
{
    if (!slot)
        slot = hd_arena(SLOTS * sizeof *slot);
    memset(slot, 0, SLOTS * sizeof *slot);
    nodes = 0;
}
