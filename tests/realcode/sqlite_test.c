/* SPDX-License-Identifier: Apache-2.0
 * SQLite from four threads. serialized: one connection for all. own_connections:
 * multi-thread mode, each thread its own connection to one file.
 * shared_connection: multi-thread mode and one connection for all, which the
 * manual forbids. */
#include "crew.h"

#include <unistd.h>

#include "sqlite3.h"

#define ROWS 2

static sqlite3 *shared;
static char folder[32], path[64];

static int insert(sqlite3 *db, int number)
{
    int status = SQLITE_OK;
    for (int i = 0; i < ROWS && status == SQLITE_OK; i++) {
        char text[80];
        snprintf(text, sizeof text, "INSERT INTO item VALUES (%d, %d)", number, i);
        status = sqlite3_exec(db, text, NULL, NULL, NULL);
    }
    return status;
}

static int take_number(void *into, int columns, char **text, char **names)
{
    (void)columns, (void)names;
    *(int *)into = text[0] ? atoi(text[0]) : 0;
    return 0;
}

static int number_of(sqlite3 *db, const char *query)
{
    int number = -1;
    sqlite3_exec(db, query, take_number, &number, NULL);
    return number;
}

static void *insert_shared(void *data)
{
    struct member *me = data;
    me->error = insert(shared, me->number);
    return NULL;
}

static void *insert_own(void *data)
{
    struct member *me = data;
    sqlite3 *db;
    me->error = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (me->error == SQLITE_OK)
        me->error = sqlite3_busy_timeout(db, 60000);
    if (me->error == SQLITE_OK)
        me->error = insert(db, me->number);
    sqlite3_close(db);
    return NULL;
}

static sqlite3 *make_table(const char *file, int flags)
{
    sqlite3 *db = NULL;
    CU_ASSERT_EQUAL(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | flags, NULL), SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(db, "CREATE TABLE item (who INTEGER, what INTEGER)", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void expect_all_rows(sqlite3 *db)
{
    CU_ASSERT_EQUAL(number_of(db, "SELECT count(*) FROM item"), CREW * ROWS);
    CU_ASSERT_EQUAL(number_of(db, "SELECT count(*) FROM (SELECT DISTINCT who, what FROM item)"), CREW * ROWS);
}

static void insert_through(int mutex_flag)
{
    shared = make_table(":memory:", mutex_flag);
    CU_ASSERT_EQUAL(crew_run(insert_shared), 0);
    expect_all_rows(shared);
    CU_ASSERT_EQUAL(sqlite3_close(shared), SQLITE_OK);
}

static void serialized(void) { insert_through(SQLITE_OPEN_FULLMUTEX); }
static void shared_connection(void) { insert_through(SQLITE_OPEN_NOMUTEX); }

static void own_connections(void)
{
    own_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/db", folder);
    sqlite3 *db = make_table(path, SQLITE_OPEN_NOMUTEX);
    CU_ASSERT_EQUAL(crew_run(insert_own), 0);
    expect_all_rows(db);
    CU_ASSERT_EQUAL(sqlite3_close(db), SQLITE_OK);
    unlink(path);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    static const struct named_test tests[] = { { "serialized", serialized },
                                               { "own_connections", own_connections },
                                               { "shared_connection", shared_connection },
                                               { NULL, NULL } };
    return run_named("sqlite", tests, argc, argv);
}
