/* SPDX-License-Identifier: Apache-2.0
 * Two threads take a lock once each. From the fourth run on, counted in the file "runs", one of them takes it
 * twice, and the fifth leaves a file in TMPDIR: what a soak has to notice. With -DFIXED every run is alike. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns = 1;

static void *work(void *unused)
{
    for (int i = 0; i < turns; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void leave_a_file(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/left", getenv("TMPDIR"));
    FILE *left = fopen(path, "w");
    if (left)
        fclose(left);
}

int main(void)
{
#ifndef FIXED
    FILE *runs = fopen("runs", "a");
    if (!runs)
        return 2;
    fputc('.', runs);
    long run = ftell(runs);
    turns = run > 3 ? 2 : 1;
    if (run == 5)
        leave_a_file();
    fclose(runs);
#endif
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
