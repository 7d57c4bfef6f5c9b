/* SPDX-License-Identifier: Apache-2.0
 * Is a witness what it says, by its trace? The schedule is made event by event by
 * the independent checker (analyze/check.h); then the finding's claim is looked at
 * in the state that this leaves: the read is next and its last write is another
 * one, both accesses are next, every request has to wait, and so on. Nothing of
 * the engine has a part in it. */
#ifndef HD_VERIFY_H
#define HD_VERIFY_H

#include "proto/heddle.pb-c.h"
#include "proto/trace.h"

enum hd_verified {
    HD_HOLDS,
    HD_SHORTENED, /* a correct reordering that ends before the claim: a rerun has shown that it suffices */
    HD_REFUSED
};

/* `why` has one line where it was refused. */
enum hd_verified hd_verify(const Heddle__Witness *, const struct hd_trace *, char *why, size_t size);

#endif
