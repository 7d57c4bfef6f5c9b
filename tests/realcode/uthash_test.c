/* SPDX-License-Identifier: Apache-2.0
 * uthash from four threads: one table, each thread adds, finds and removes its
 * own keys. with_lock, and without_lock, where the threads meet in the chains. */
#include "crew.h"

#include <uthash.h>

#define KEYS 2

struct entry {
    int key, value;
    UT_hash_handle hh;
};

static struct entry *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void enter(void)
{
    if (locked)
        pthread_mutex_lock(&lock);
}

static void leave(void)
{
    if (locked)
        pthread_mutex_unlock(&lock);
}

static void add(int key)
{
    struct entry *e = calloc(1, sizeof *e);
    e->key = key;
    e->value = 10 * key;
    enter();
    HASH_ADD_INT(table, key, e);
    leave();
}

static int value_of(int key)
{
    struct entry *e;
    enter();
    HASH_FIND_INT(table, &key, e);
    int value = e ? e->value : -1;
    leave();
    return value;
}

static void drop(int key)
{
    struct entry *e;
    enter();
    HASH_FIND_INT(table, &key, e);
    if (e)
        HASH_DEL(table, e);
    leave();
    free(e);
}

static void *use_table(void *data)
{
    struct member *me = data;
    int first = 1 + me->number * KEYS;
    for (int key = first; key < first + KEYS; key++)
        add(key);
    for (int key = first; key < first + KEYS; key++)
        me->error |= value_of(key) != 10 * key;
    drop(first);
    return NULL;
}

static void use_from_all(int with)
{
    struct entry *e, *next;
    locked = with;
    table = NULL;
    CU_ASSERT_EQUAL(crew_run(use_table), 0);
    CU_ASSERT_EQUAL(HASH_COUNT(table), CREW * (KEYS - 1));
    HASH_ITER(hh, table, e, next) {
        HASH_DEL(table, e);
        free(e);
    }
}

static void with_lock(void) { use_from_all(1); }
static void without_lock(void) { use_from_all(0); }

int main(int argc, char **argv)
{
    static const struct named_test tests[] = { { "with_lock", with_lock },
                                               { "without_lock", without_lock },
                                               { NULL, NULL } };
    return run_named("uthash", tests, argc, argv);
}
