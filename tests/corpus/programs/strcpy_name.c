/* SPDX-License-Identifier: Apache-2.0
 * class: memcpy range race
 * bug: a name is overwritten while it is compared
 * expect: FAILING, a name that nobody has */
#include <string.h>

#include "one_test.h"
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[32] = "alexandria-the-first";
static int unknown;

static void *rename_it(void *unused)
{
    pthread_mutex_lock(&lock);
    strcpy(name, "bartholomew-the-next");
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *compare(void *unused)
{
    char seen[32];
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    strcpy(seen, name);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    unknown = strcmp(seen, "alexandria-the-first") != 0 && strcmp(seen, "bartholomew-the-next") != 0;
    return unused;
}

ONE_TEST(the_name_is_one_of_two)
{
    run_two(rename_it, compare);
    CU_ASSERT_FALSE(unknown);
}
