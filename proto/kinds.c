/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/kinds.h"

static const char *const words[HD_KIND_COUNT] = {
    "none",
#define HD_KIND(name, class, word) word,
#include "proto/kinds.def"
#undef HD_KIND
};

const uint8_t hd_kind_class[HD_KIND_COUNT] = {
    HD_CLASS_MARK,
#define HD_KIND(name, class, word) HD_CLASS_##class,
#include "proto/kinds.def"
#undef HD_KIND
};

const char *hd_kind_word(unsigned kind)
{
    return kind < HD_KIND_COUNT ? words[kind] : "unknown";
}
