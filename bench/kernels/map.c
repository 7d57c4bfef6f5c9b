/* SPDX-License-Identifier: Apache-2.0
 * A hash map with one lock a stripe. */
#include "kernel.h"

#define STRIPES 16
#define SLOTS 65536
#define KEYS 400000

struct entry { uint32_t key, count; };

static struct entry table[STRIPES][SLOTS / STRIPES];
static pthread_mutex_t lock[STRIPES];

static void add(uint32_t key)
{
    uint32_t h = key * 2654435761u, stripe = h >> 28;
    pthread_mutex_lock(&lock[stripe]);
    for (uint32_t i = (h >> 8) % (SLOTS / STRIPES);; i = (i + 1) % (SLOTS / STRIPES)) {
        struct entry *e = &table[stripe][i];
        if (e->key == key || e->key == 0) {
            e->key = key;
            e->count++;
            break;
        }
    }
    pthread_mutex_unlock(&lock[stripe]);
}

static void *insert(void *arg)
{
    uint32_t state = (uint32_t)(intptr_t)arg + 1;
    for (int i = 0; i < KEYS; i++) {
        uint32_t word = 0;
        for (int j = 0; j < 40; j++)
            word ^= next_random(&state);
        add(1 + word % (SLOTS / 2));
    }
    return NULL;
}

int main(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&lock[i], NULL);
    in_parallel(insert);
    for (int i = 0; i < STRIPES; i++)
        for (int j = 0; j < SLOTS / STRIPES; j++)
            sum += table[i][j].count;
    return sum != WORKERS * KEYS;
}
