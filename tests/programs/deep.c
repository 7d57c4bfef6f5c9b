/* SPDX-License-Identifier: Apache-2.0
 * deep N [fixed]: fails only where N threads each came before the writer they wait for, all in one run.
 * One reordering, or N - 1 of them, pass. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int word[4], missed[4];

static void *writer(void *unused)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        word[i] = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *reader(void *mine)
{
    int i = (int)(long)mine;
    pthread_mutex_lock(&lock);
    if (!word[i])
        missed[i] = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    int readers = argc > 1 ? atoi(argv[1]) : 2, count = 0;
    pthread_t thread[5];
    pthread_create(&thread[0], NULL, writer, NULL);
    for (int i = 0; i < readers; i++)
        pthread_create(&thread[i + 1], NULL, reader, (void *)(long)i);
    for (int i = 0; i <= readers; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < readers; i++)
        count += missed[i];
    return argc > 2 && strcmp(argv[2], "fixed") == 0 ? 0 : count == readers;
}
