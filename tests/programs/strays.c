/* SPDX-License-Identifier: Apache-2.0
 * How often its threads take the lock depends on a file ("input") or on the environment (STRAY), as the
 * argument says: what no schedule can make the same again. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, total;

static void *worker(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void from_file(void)
{
    char digit = '1';
    FILE *f = fopen("input", "r");
    if (f && fread(&digit, 1, 1, f) == 1)
        rounds = digit - '0';
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    pthread_t one, two;
    const char *way = argc > 1 ? argv[1] : "";
    rounds = 1;
    if (strcmp(way, "file") == 0)
        from_file();
    else
        rounds = getenv("STRAY") ? 2 : 1;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
