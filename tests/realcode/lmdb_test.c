/* SPDX-License-Identifier: Apache-2.0
 * LMDB from four threads. readers_and_writer: three readers, each of whose
 * snapshots must show both accounts as one transaction left them.
 * writers: all four add to one counter. writers_without_lock: the same with
 * MDB_NOLOCK, which leaves the locking to a caller who does none. */
#include "crew.h"

#include <unistd.h>

#include "lmdb.h"

#define ROUNDS 2
#define TOTAL 100

static MDB_env *env;
static MDB_dbi dbi;
static char folder[32];

static int get(MDB_txn *txn, const char *name, int *number)
{
    MDB_val key = { strlen(name), (void *)name }, value;
    int status = mdb_get(txn, dbi, &key, &value);
    if (status == 0)
        memcpy(number, value.mv_data, sizeof *number);
    return status;
}

static int put(MDB_txn *txn, const char *name, int number)
{
    MDB_val key = { strlen(name), (void *)name }, value = { sizeof number, &number };
    return mdb_put(txn, dbi, &key, &value, 0);
}

static int put_two(const char *a, int x, const char *b, int y)
{
    MDB_txn *txn;
    int status = mdb_txn_begin(env, NULL, 0, &txn);
    if (status != 0)
        return status;
    status = put(txn, a, x);
    if (status == 0)
        status = put(txn, b, y);
    if (status == 0)
        return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return status;
}

static void make_env(unsigned flags)
{
    MDB_txn *txn;
    own_folder(folder, sizeof folder);
    CU_ASSERT_EQUAL(mdb_env_create(&env), 0);
    CU_ASSERT_EQUAL(mdb_env_set_mapsize(env, 1 << 20), 0);
    CU_ASSERT_EQUAL(mdb_env_open(env, folder, flags | MDB_NOSYNC, 0600), 0);
    CU_ASSERT_EQUAL(mdb_txn_begin(env, NULL, 0, &txn), 0);
    CU_ASSERT_EQUAL(mdb_dbi_open(txn, NULL, 0, &dbi), 0);
    CU_ASSERT_EQUAL(mdb_txn_commit(txn), 0);
}

static void remove_env(void)
{
    char name[64];
    mdb_env_close(env);
    snprintf(name, sizeof name, "%s/data.mdb", folder);
    unlink(name);
    snprintf(name, sizeof name, "%s/lock.mdb", folder);
    unlink(name);
    rmdir(folder);
}

static int move(void)
{
    for (int i = 1; i <= ROUNDS; i++) {
        int status = put_two("left", TOTAL - i, "right", i);
        if (status != 0)
            return status;
    }
    return 0;
}

static int look(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        MDB_txn *txn;
        int left = -1, right = -1, status = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
        if (status != 0)
            return status;
        status = get(txn, "left", &left);
        if (status == 0)
            status = get(txn, "right", &right);
        mdb_txn_abort(txn);
        if (status != 0)
            return status;
        if (left + right != TOTAL)
            return -1;
    }
    return 0;
}

static void *move_or_look(void *data)
{
    struct member *me = data;
    me->error = me->number == 0 ? move() : look();
    return NULL;
}

static void *count_up(void *data)
{
    struct member *me = data;
    MDB_txn *txn;
    int number = 0;
    me->error = mdb_txn_begin(env, NULL, 0, &txn);
    if (me->error != 0)
        return NULL;
    me->error = get(txn, "counter", &number);
    if (me->error == 0)
        me->error = put(txn, "counter", number + 1);
    if (me->error == 0)
        me->error = mdb_txn_commit(txn);
    else
        mdb_txn_abort(txn);
    return NULL;
}

static void readers_and_writer(void)
{
    make_env(0);
    CU_ASSERT_EQUAL(put_two("left", TOTAL, "right", 0), 0);
    CU_ASSERT_EQUAL(crew_run(move_or_look), 0);
    remove_env();
}

static void count_with(unsigned flags)
{
    MDB_txn *txn;
    int number = -1;
    make_env(flags);
    CU_ASSERT_EQUAL(put_two("counter", 0, "other", 0), 0);
    CU_ASSERT_EQUAL(crew_run(count_up), 0);
    CU_ASSERT_EQUAL(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
    CU_ASSERT_EQUAL(get(txn, "counter", &number), 0);
    CU_ASSERT_EQUAL(number, CREW);
    mdb_txn_abort(txn);
    remove_env();
}

static void writers(void) { count_with(0); }
static void writers_without_lock(void) { count_with(MDB_NOLOCK); }

int main(int argc, char **argv)
{
    static const struct named_test tests[] = { { "readers_and_writer", readers_and_writer },
                                               { "writers", writers },
                                               { "writers_without_lock", writers_without_lock },
                                               { NULL, NULL } };
    return run_named("lmdb", tests, argc, argv);
}
