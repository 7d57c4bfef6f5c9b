/* SPDX-License-Identifier: Apache-2.0
 * class: use after free
 * bug: a visitor takes the session out of the table, and its lock only then; the owner may have freed it in between
 * expect: FAILING, a lock is taken in memory that is gone */
#include <stdlib.h>

#include "one_test.h"
#include "threads.h"

struct session { pthread_mutex_t lock; };

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *table;

static void *visit(void *unused)
{
    pthread_mutex_lock(&table_lock);
    struct session *s = table;
#ifdef FIXED
    if (s) {
        pthread_mutex_lock(&s->lock);
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_unlock(&table_lock);
#else
    pthread_mutex_unlock(&table_lock);
    if (s) {
        pthread_mutex_lock(&s->lock);
        pthread_mutex_unlock(&s->lock);
    }
#endif
    return unused;
}

ONE_TEST(a_session_is_closed)
{
    table = calloc(1, sizeof *table);
    pthread_mutex_init(&table->lock, NULL);
    pthread_t visitor = spawn(visit, NULL);
    sched_yield();
    pthread_mutex_lock(&table_lock);
    struct session *s = table;
    table = NULL;
    pthread_mutex_unlock(&table_lock);
    pthread_mutex_lock(&s->lock); /* whoever is in it leaves first */
    pthread_mutex_unlock(&s->lock);
    free(s);
    join(visitor);
    CU_ASSERT_PTR_NULL(table);
}
