/* SPDX-License-Identifier: Apache-2.0
 * Which acquire belongs to which release, what is held where, and what every
 * item needs: the part of the index that is about synchronization.
 *
 * Re-entrant acquires constrain nothing. A lock that the trace uses against the
 * rules (taken while another thread has it, released by a stranger) is bent: no
 * section of it exists, and its events keep the order of the trace. */
#ifndef HD_SECTIONS_H
#define HD_SECTIONS_H

#include "analyze/index.h"

void hd_sections_pair(struct hd_index *, bool *bent);
void hd_needs_link(struct hd_index *, const bool *bent);
void hd_semaphores_start(struct hd_index *);

#endif
