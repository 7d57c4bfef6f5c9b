/* SPDX-License-Identifier: Apache-2.0
 * class: errno and static buffers
 * bug: gmtime() returns its one static structure
 * expect: FAILING, a thread gets the other's year */
#include <time.h>

#include "threads.h"

static int year[2];

static void *convert(void *number)
{
    uintptr_t n = (uintptr_t)number;
    time_t when = (time_t)n * 400 * 24 * 3600;
#ifdef FIXED
    struct tm own, *tm = gmtime_r(&when, &own);
#else
    struct tm *tm = gmtime(&when);
#endif
    year[n] = tm->tm_year;
    return NULL;
}

int main(void)
{
    run_many(2, convert);
    assert(year[0] == 70 && year[1] == 71);
}
