/* SPDX-License-Identifier: Apache-2.0
 * Many threads:  many_threads TOTAL AT_ONCE */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long count;

static void *one(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv)
{
    int total = argc > 1 ? atoi(argv[1]) : 1000, at_once = argc > 2 ? atoi(argv[2]) : 200;
    pthread_t *thread = calloc((size_t)at_once, sizeof *thread);
    for (int done = 0; done < total; done += at_once) {
        for (int i = 0; i < at_once; i++)
            if (pthread_create(&thread[i], NULL, one, NULL) != 0)
                return 2;
        for (int i = 0; i < at_once; i++)
            pthread_join(thread[i], NULL);
    }
    free(thread);
    return count == total ? 0 : 1;
}
