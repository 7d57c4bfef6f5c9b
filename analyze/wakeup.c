// SPDX-License-Identifier: Apache-2.0
// Lost wakeups: can every signal that other threads give come too early? Either all
// of them before the wait begins, or those that came later have woken others. Then
// nobody is left to end the wait.
#include <stdlib.h>

#include "analyze/run.h"
#include "proto/memory.h"

/* Each other thread's last signal; the latest of them first. */
static uint32_t last_signals(const struct hd_index *x, const struct hd_item *wait, uint32_t *signal)
{
    uint32_t count = 0;
    for (uint32_t n = x->signals.first[wait->object]; n < x->signals.first[wait->object + 1]; n++) {
        const struct hd_track *t = &x->signals.track[n];
        if (t->thread == wait->thread)
            continue;
        uint32_t last = hd_item_at(x, t->thread, x->signals.at[t->to - 1]);
        signal[count++] = last;
        if (last > signal[0]) {
            signal[count - 1] = signal[0];
            signal[0] = last;
        }
    }
    return count;
}

/* A signal that needs the wait behind it can never come first. */
static bool needs_wake(const struct hd_index *x, const uint32_t *signal, uint32_t signals, const struct hd_item *woken)
{
    for (uint32_t i = 0; i < signals; i++)
        if (hd_clock(x, hd_must(x), signal[i], woken->thread) > woken->index)
            return true;
    return false;
}

static void ask(struct hd_worker *w, uint32_t woken, uint32_t *signal)
{
    const struct hd_index *x = w->index;
    uint32_t wait = x->item[woken].partner, signals = last_signals(x, &x->item[wait], signal);
    if (!signals)
        return;
    struct hd_candidate q = {.column = "wakeup", .kind = "wakeup", .pattern = "lost wakeup", .preposition = "of",
                             .r = HD_NO_INDEX, .w = HD_NO_INDEX, .c = signal[0], .before_w = HD_NO_INDEX,
                             .request = &wait, .requests = 1, .also = signal + 1, .alsos = signals - 1};
    if (needs_wake(x, signal, signals, &x->item[woken])) {
        hd_worker_reject(w, &q, "stage0");
        return;
    }
    enum hd_decision early = hd_worker_try(w, &q), stolen = HD_IMPOSSIBLE;
    if (early != HD_WITNESS) {
        q.request = &woken;
        q.stuck = true;
        stolen = hd_worker_try(w, &q);
    }
    if (early == HD_WITNESS || stolen == HD_WITNESS)
        hd_worker_accept(w, &q, stolen == HD_WITNESS ? "stolen" : "early");
    else if (early == HD_OPEN || stolen == HD_OPEN)
        hd_worker_leave_open(w, &q, "budget");
    else
        hd_worker_reject(w, &q, "both");
}

static size_t units(const struct hd_index *x)
{
    return x->items ? 1 : 0;
}

static void unit(struct hd_worker *w, size_t n)
{
    const struct hd_index *x = w->index;
    uint32_t *signal = hd_alloc(((size_t)x->threads + 1) * sizeof *signal);
    (void)n;
    for (uint32_t i = 0; i < x->items; i++)
        if (x->item[i].class == HD_WOKEN && !x->item[i].all)
            ask(w, i, signal);
    free(signal);
}

const struct hd_kind_of_finding hd_wakeup = {HD_KINDS_WAKEUP, "wakeup", units, unit};
