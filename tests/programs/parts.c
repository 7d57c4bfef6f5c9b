/* SPDX-License-Identifier: Apache-2.0
 * Variables with parts: the story names the part. */
#include <pthread.h>
#include <string.h>

struct item {
    int id;
    union { long word; char letter[8]; } both;
    struct { short x, y; } corner[2][3];
    struct { int nameless; };
};

static struct pool {
    int size;
    pthread_mutex_t lock;
    struct item item[4];
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct { int word, owner; } own;

static void *change(void *unused)
{
    static int calls[2];
    pthread_mutex_lock(&pool.lock);
    pool.size = 1;
    pool.item[2].id = 2;
    pool.item[1].both.letter[3] = 3;
    pool.item[1].both.word = 4;
    pool.item[0].corner[1][2].y = 5;
    pool.item[3].nameless = 6;
    own.owner = 7;
    calls[1] += 8;
    memset(&pool.item[3].corner[1], 0, sizeof pool.item[3].corner[1]);
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, change, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return own.owner - 7;
}
