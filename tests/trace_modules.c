/* SPDX-License-Identifier: Apache-2.0
 * Prints, for a trace, how many events come from each module: "3 /lib/libx.so". */
#include <stdio.h>
#include <stdlib.h>

#include "proto/memory.h"
#include "proto/trace.h"

int main(int argc, char **argv)
{
    char error[512];
    struct hd_trace *t = argc == 2 ? hd_trace_read(argv[1], error, sizeof error) : NULL;
    if (!t) {
        fprintf(stderr, "trace_modules: %s\n", argc == 2 ? error : "one trace expected");
        return 2;
    }
    size_t *count = hd_alloc((t->modules + 1) * sizeof *count);
    for (size_t i = 0; i < t->events; i++)
        if (t->event[i].site != HD_NO_INDEX && t->site[t->event[i].site].module != HD_NO_INDEX)
            count[t->site[t->event[i].site].module]++;
    for (size_t m = 0; m < t->modules; m++)
        if (count[m])
            printf("%zu %s\n", count[m], t->module[m].path);
    free(count);
    hd_trace_free(t);
    return 0;
}
