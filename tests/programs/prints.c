/* SPDX-License-Identifier: Apache-2.0
 * Its output depends on which thread is last; with SUM it does not. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last, sum;

static void *worker(void *number)
{
    pthread_mutex_lock(&lock);
    last = *(int *)number;
    sum += last;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    int number[2] = { 1, 2 };
    puts("two threads");
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, worker, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
#ifdef SUM
    printf("sum %d\n", sum);
#else
    printf("last was %d\n", last);
#endif
    fputs("done\n", stderr);
    return 0;
}
