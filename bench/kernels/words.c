/* SPDX-License-Identifier: Apache-2.0
 * Text: workers split their part of it into words, lower their case, and count
 * them in tables of their own, added up under a lock. */
#include "kernel.h"

#define TEXT 2000000
#define SLOTS 4096

static char text[TEXT + 1];
static uint32_t total[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count_words(const char *p, const char *end, uint32_t *table)
{
    char word[32];
    while (p < end) {
        unsigned n = 0;
        for (; p < end && *p != ' '; p++)
            if (n < sizeof word - 1)
                word[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
        word[n] = 0;
        p++;
        uint32_t h = 5381;
        for (const char *w = word; *w; w++)
            h = h * 33 + (uint8_t)*w;
        table[h % SLOTS]++;
    }
}

static void *part(void *arg)
{
    uint32_t *table = calloc(SLOTS, sizeof *table);
    const char *from = text + (intptr_t)arg * (TEXT / WORKERS);
    for (int round = 0; round < 8; round++)
        count_words(from, from + TEXT / WORKERS, table);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SLOTS; i++)
        total[i] += table[i];
    pthread_mutex_unlock(&lock);
    free(table);
    return NULL;
}

int main(void)
{
    uint32_t state = 7, words = 0;
    for (int i = 0; i < TEXT; i++)
        text[i] = (char)(next_random(&state) % 6 == 0 ? ' ' : (i & 1 ? 'A' : 'a') + next_random(&state) % 26);
    in_parallel(part);
    for (int i = 0; i < SLOTS; i++)
        words += total[i];
    return words == 0;
}
