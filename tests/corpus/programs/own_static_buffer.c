/* SPDX-License-Identifier: Apache-2.0
 * class: errno and static buffers
 * bug: a formatter returns its one static buffer
 * expect: FAILING, a thread gets the other's text */
#include <stdio.h>
#include <string.h>

#include "one_test.h"
#include "threads.h"

static char out[2][16];

static const char *in_words(int number)
{
#ifdef FIXED
    static _Thread_local char text[16];
#else
    static char text[16];
#endif
    snprintf(text, sizeof text, "no. %d", number);
    return text;
}

static void *print(void *number)
{
    uintptr_t n = (uintptr_t)number;
    strcpy(out[n], in_words((int)n));
    return NULL;
}

ONE_TEST(each_its_own_text)
{
    run_many(2, print);
    CU_ASSERT_STRING_EQUAL(out[0], "no. 0");
    CU_ASSERT_STRING_EQUAL(out[1], "no. 1");
}
