/* SPDX-License-Identifier: Apache-2.0
 * Prints, for the accesses of a trace, how deep the call stack is:
 * "write LINE FILE:LINE depth N". */
#include <stdio.h>

#include "proto/trace.h"
#include "symbols/symbols.h"

static unsigned depth(const struct hd_trace *t, uint32_t stack)
{
    unsigned frames = 0;
    for (; stack != HD_NO_INDEX && frames < 10000; stack = t->stack[stack].parent)
        frames++;
    return frames;
}

int main(int argc, char **argv)
{
    char error[512];
    struct hd_trace *t = argc == 2 ? hd_trace_read(argv[1], error, sizeof error) : NULL;
    if (!t) {
        fprintf(stderr, "trace_stacks: %s\n", argc == 2 ? error : "one trace expected");
        return 2;
    }
    struct hd_symbols *symbols = hd_symbols_new(t);
    for (size_t i = 0; i < t->events; i++) {
        const struct hd_event *e = &t->event[i];
        const struct hd_place *place = hd_symbols_place(symbols, e->site);
        if (e->kind == HD_READ || e->kind == HD_WRITE)
            printf("%s %u %s:%u depth %u\n", hd_kind_word(e->kind), place->line, place->file, place->line,
                   depth(t, e->stack));
    }
    hd_symbols_free(symbols);
    hd_trace_free(t);
    return 0;
}
