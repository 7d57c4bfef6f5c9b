/* SPDX-License-Identifier: Apache-2.0
 * class: memcpy range race
 * bug: the key is scrubbed while it may still be in use
 * expect: FAILING, a key of zeros */
#include <string.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char key[32];
static bool is_valid = true;

static void *encrypt(void *unused)
{
    unsigned sum = 0;
    pthread_mutex_lock(&lock);
    bool usable = is_valid;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
    for (size_t i = 0; usable && i < sizeof key; i++)
        sum += key[i];
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    assert(!usable || sum == 32 * 7);
    return unused;
}

static void *scrub(void *unused)
{
    pthread_mutex_lock(&lock);
    is_valid = false;
    memset(key, 0, sizeof key);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    memset(key, 7, sizeof key);
    run_two(encrypt, scrub);
}
