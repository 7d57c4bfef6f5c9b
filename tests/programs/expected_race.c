/* SPDX-License-Identifier: Apache-2.0
 * Two threads count without a lock. Which of the counters are expected to race is the argument:
 * "plain" none, "hits" one in the test, "early" one said before it, "sized" an array by the older
 * annotation, "reused" heap memory that is freed, then somebody else's. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>

void AnnotateBenignRaceSized(const char *, int, const volatile void *, size_t, const char *) __attribute__((weak));

static int hits, misses, table[4];
static int *block;

static void *count(void *arg)
{
    (void)arg;
    hits++;
    misses++;
    table[1]++;
    (*block)++;
    return NULL;
}

static void both(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

static int asked(int argc, char **argv, const char *what)
{
    return argc > 1 && strcmp(argv[1], what) == 0;
}

__attribute__((constructor)) static void before_main(int argc, char **argv)
{
    if (asked(argc, argv, "early"))
        HEDDLE_EXPECT_RACE(hits, "said before any test");
}

int main(int argc, char **argv)
{
    block = malloc(sizeof *block);
    *block = 0;
    if (asked(argc, argv, "hits"))
        HEDDLE_EXPECT_RACE(hits, "an approximate count");
    if (asked(argc, argv, "sized") && AnnotateBenignRaceSized)
        AnnotateBenignRaceSized(__FILE__, __LINE__, table, sizeof table, "the whole table");
    if (asked(argc, argv, "block") || asked(argc, argv, "reused"))
        HEDDLE_EXPECT_RACE(*block, "a block");
    if (asked(argc, argv, "reused")) {
        free(block);
        block = malloc(sizeof *block);
        *block = 0;
    }
    both();
    free(block);
    return 0;
}
