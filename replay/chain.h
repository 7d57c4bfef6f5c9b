/* SPDX-License-Identifier: Apache-2.0
 * Why a rerun failed, by values: compared with the recorded run, event by event.
 *
 * From what failed it goes back: the last read of that thread which saw something else than when
 * recorded, the write it saw (or, where that is as recorded, the write it should have seen and that
 * was overwritten), the last such read before that write, and so on, to the first that differs. Told
 * in the order of the rerun. */
#ifndef HD_CHAIN_H
#define HD_CHAIN_H

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"

struct hd_chain {
    Heddle__Link **link;
    size_t links;
};

/* `end` is how the rerun ended, in words: the last link. No links where no value differs. */
struct hd_chain hd_chain_make(const struct hd_trace *recorded, const struct hd_trace *rerun, const char *end);
void hd_chain_free(struct hd_chain *);

#endif
