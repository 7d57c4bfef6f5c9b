/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/kinds.h"

enum { SYNC, ACCESS, MARK };

static const struct {
    const char *word;
    unsigned char class;
} kinds[HD_KIND_COUNT] = {
    { "none", MARK },
#define HD_KIND(name, class, word) { word, class },
#include "proto/kinds.def"
#undef HD_KIND
};

const char *hd_kind_word(unsigned kind)
{
    return kind < HD_KIND_COUNT ? kinds[kind].word : "unknown";
}

bool hd_kind_is_sync(unsigned kind)
{
    return kind < HD_KIND_COUNT && kinds[kind].class == SYNC;
}

bool hd_kind_is_access(unsigned kind)
{
    return kind < HD_KIND_COUNT && kinds[kind].class == ACCESS;
}

bool hd_kind_is_atomic(unsigned kind)
{
    return kind == HD_ATOMIC_LOAD || kind == HD_ATOMIC_STORE || kind == HD_ATOMIC_RMW;
}
