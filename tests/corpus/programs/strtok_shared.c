/* SPDX-License-Identifier: Apache-2.0
 * class: errno and static buffers
 * bug: strtok() keeps its place in one static variable
 * expect: FAILING, a thread goes on in the other's text */
#include <string.h>

#include "threads.h"

static char text[2][16] = { "a b c", "d e f" };
static int words[2];

static void *count(void *number)
{
    uintptr_t n = (uintptr_t)number;
#ifdef FIXED
    char *place;
    for (char *word = strtok_r(text[n], " ", &place); word; word = strtok_r(NULL, " ", &place))
        words[n]++;
#else
    for (char *word = strtok(text[n], " "); word; word = strtok(NULL, " "))
        words[n]++;
#endif
    return NULL;
}

int main(void)
{
    run_many(2, count);
    assert(words[0] == 3 && words[1] == 3);
}
