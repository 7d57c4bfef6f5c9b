/* SPDX-License-Identifier: Apache-2.0
 * descriptors FILE: appends which descriptors are open, whatever two threads do to a sum. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    sum++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    DIR *open_now = opendir("/proc/self/fd");
    FILE *log = argc > 1 ? fopen(argv[1], "a") : NULL;
    if (!open_now || !log)
        return 2;
    for (struct dirent *entry; (entry = readdir(open_now));)
        fprintf(log, "%s ", entry->d_name);
    fputc('\n', log);
    fclose(log);
    closedir(open_now);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum != 2;
}
