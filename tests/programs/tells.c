/* SPDX-License-Identifier: Apache-2.0
 * A lost update; each run adds a line to the file $TELLS: its folder and its arguments. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    long seen = count;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    count = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void tell(char **argv)
{
    char folder[4096] = "?";
    FILE *f = getenv("TELLS") ? fopen(getenv("TELLS"), "a") : NULL;
    if (!f)
        return;
    if (!getcwd(folder, sizeof folder))
        perror("getcwd");
    fprintf(f, "%s:", folder);
    for (; *argv; argv++)
        fprintf(f, " %s", *argv);
    fputc('\n', f);
    fclose(f);
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    (void)argc;
    tell(argv);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count != 2;
}
