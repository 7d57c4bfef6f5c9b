/* SPDX-License-Identifier: Apache-2.0
 * qsort. The comparison is the user's code and reads the elements where they
 * are, so each move has to be an event of its own: while recorded, the sort is
 * made here, as the merge sort libc makes, with the same comparisons in the same order. */
#include <stdlib.h>

#include "record/user_memory.h"

void *__libc_malloc(size_t);
void __libc_free(void *);

struct sort {
    struct hd_thread *t;
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *data;
    char *scratch;
    uint64_t pc;
};

static void merge(const struct sort *s, char *low, size_t below, size_t above)
{
    char *out = s->scratch, *high = low + below * s->size, *start = low;
    size_t count = below + above;
    while (below && above) {
        bool from_low = s->compare(low, high, s->data) <= 0;
        hd_user_copy(s->t, out, from_low ? low : high, s->size, s->pc);
        out += s->size;
        *(from_low ? &low : &high) += s->size;
        --*(from_low ? &below : &above);
    }
    hd_user_copy(s->t, out, low, below * s->size, s->pc);
    hd_user_copy(s->t, start, s->scratch, (count - above) * s->size, s->pc);
}

static void sort(const struct sort *s, char *base, size_t count)
{
    if (count < 2)
        return;
    size_t below = count / 2, above = count - below;
    sort(s, base, below);
    sort(s, base + below * s->size, above);
    merge(s, base, below, above);
}

static bool recorded_sort(struct sort *s, void *base, size_t count)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, s->size, &bytes))
        return false;
    s->scratch = __libc_malloc(bytes);
    if (!s->scratch)
        return false;
    hd_heap_made(s->t, s->scratch, bytes, s->pc);
    sort(s, base, count);
    hd_heap_freed(s->t, s->scratch, s->pc);
    __libc_free(s->scratch);
    return true;
}

static int without_data(const void *a, const void *b, void *data)
{
    return (*(int (**)(const void *, const void *))data)(a, b);
}

HD_EXPORT void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    struct hd_thread *t = hd_recorder();
    struct sort s = { t, size, without_data, &compare, NULL, HD_CALLER };
    if (!t || !recorded_sort(&s, base, count))
        HD_REAL(qsort)(base, count, size, compare);
}

HD_EXPORT void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *data)
{
    struct hd_thread *t = hd_recorder();
    struct sort s = { t, size, compare, data, NULL, HD_CALLER };
    if (!t || !recorded_sort(&s, base, count))
        HD_REAL(qsort_r)(base, count, size, compare, data);
}
