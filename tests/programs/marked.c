/* SPDX-License-Identifier: Apache-2.0
 * A framework of five lines, without an adapter: HEDDLE_TEST marks its tests. Its
 * failures longjmp. */
#include <heddle/test.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf failed;
long value;

static void require(int held)
{
    if (!held)
        longjmp(failed, 1);
}

static void good(void)
{
    value = 1;
    require(value == 1);
}

static void bad(void)
{
    value = 2;
    require(value == 1);
}

static void later(void)
{
    value = 3;
}

int main(void)
{
    void (*test[])(void) = { HEDDLE_TEST(good), HEDDLE_TEST(bad), HEDDLE_TEST(later) };
    int failures = 0;
    for (int i = 0; i < 3; i++) {
        if (setjmp(failed) == 0)
            test[i]();
        else
            failures++;
    }
    return failures == 1 ? 0 : 1;
}
