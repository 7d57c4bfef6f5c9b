/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tally.h"

#include <inttypes.h>
#include <stdlib.h>

#include "proto/memory.h"

const char *hd_column_word(enum hd_column column)
{
    static const char *const words[HD_COLUMNS] = {"impossible", "harmless", "FAILING", "diverged", "open",
                                                    "suppressed"};
    return words[column];
}

struct hd_tally hd_tally_of(const Heddle__Account *a)
{
    return (struct hd_tally){a->alternatives, {a->impossible, a->harmless, a->failing, a->diverged, a->open, a->suppressed},
                             a->depth, a->recordings, true, a->cut, a->deeper};
}

void hd_tally_add(struct hd_tally *to, const struct hd_tally *t)
{
    to->alternatives += t->alternatives;
    for (int i = 0; i < HD_COLUMNS; i++)
        to->column[i] += t->column[i];
    to->depth = t->depth > to->depth ? t->depth : to->depth;
    to->recordings = t->recordings > to->recordings ? t->recordings : to->recordings;
    to->complete &= t->complete;
    to->cut |= t->cut;
    to->deeper |= t->deeper;
}

void hd_tally_count(struct hd_tally *t, enum hd_column column)
{
    t->alternatives++;
    t->column[column]++;
}

bool hd_tally_closed(const struct hd_tally *t)
{
    return t->complete && !t->cut && !t->column[HD_COLUMN_DIVERGED] && !t->column[HD_COLUMN_OPEN];
}

char *hd_tally_words(const struct hd_tally *t)
{
    char *words = hd_format("%" PRIu64 " alternative%s:", t->alternatives, t->alternatives == 1 ? "" : "s");
    for (int i = 0; i < HD_COLUMNS; i++) {
        if (i > HD_COLUMN_FAILING && !t->column[i])
            continue;
        char *longer = hd_format("%s%s %" PRIu64 " %s", words, i ? "," : "", t->column[i],
                                 hd_column_word((enum hd_column)i));
        free(words);
        words = longer;
    }
    return words;
}

char *hd_tally_close_words(const struct hd_tally *t)
{
    uint64_t left = t->column[HD_COLUMN_DIVERGED] + t->column[HD_COLUMN_OPEN];
    if (!t->complete)
        return hd_strdup("only the witnesses in the folder are counted");
    if (left || t->cut)
        return hd_format("%" PRIu64 " of %" PRIu64 " alternatives are open or diverged%s", left, t->alternatives,
                         t->cut ? ", and the time was up; --budget gives more" : "");
    if (!t->alternatives)
        return hd_strdup("there is no alternative");
    if (t->deeper)
        return hd_format("all %" PRIu64 " alternative%s tried or impossible, up to %u at once (--depth tries more)",
                         t->alternatives, t->alternatives == 1 ? "" : "s", t->depth + 1);
    return hd_format("all %" PRIu64 " alternative%s tried or impossible", t->alternatives,
                     t->alternatives == 1 ? "" : "s");
}
