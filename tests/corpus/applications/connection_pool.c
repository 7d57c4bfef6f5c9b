/* SPDX-License-Identifier: Apache-2.0
 * class: check then act
 * bug: an idle connection is chosen under the lock and marked as taken after it:
 *      two threads talk over one connection
 * expect: FAILING, replies are mixed up or a transaction is broken into
 *
 * A pool of connections to a small ledger server: transactions, reconnection of
 * broken connections, waiting with a limit, health checks, statistics. */
#include "app.h"

#define CONNECTIONS 2
#define ACCOUNTS 3

/* ------------------------------------------------------------ the server */

struct server {
    pthread_mutex_t lock;
    long account[ACCOUNTS];
    unsigned requests, connects;
};

struct connection {
    struct server *server;
    bool open, in_transaction;
    unsigned number, uses, errors;
    long delta[ACCOUNTS]; /* of the transaction */
    int owner;            /* who talks over it, for the protocol's check; 0: nobody */
};

static void server_init(struct server *s, long each)
{
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    for (int i = 0; i < ACCOUNTS; i++)
        s->account[i] = each;
}

static long server_total(struct server *s)
{
    long total = 0;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < ACCOUNTS; i++)
        total += s->account[i];
    pthread_mutex_unlock(&s->lock);
    return total;
}

static void connection_open(struct connection *c, struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->connects++;
    pthread_mutex_unlock(&s->lock);
    c->server = s;
    c->open = true;
    c->in_transaction = false;
    memset(c->delta, 0, sizeof c->delta);
}

static void connection_break(struct connection *c)
{
    c->open = false;
    c->errors++;
}

static bool transaction_begin(struct connection *c)
{
    if (!c->open || c->in_transaction)
        return false;
    c->in_transaction = true;
    memset(c->delta, 0, sizeof c->delta);
    return true;
}

static bool transaction_add(struct connection *c, int account, long amount)
{
    if (!c->open || !c->in_transaction || account < 0 || account >= ACCOUNTS)
        return false;
    c->delta[account] += amount;
    return true;
}

static bool transaction_commit(struct connection *c)
{
    struct server *s = c->server;
    if (!c->open || !c->in_transaction)
        return false;
    pthread_mutex_lock(&s->lock);
    s->requests++;
    for (int i = 0; i < ACCOUNTS; i++)
        s->account[i] += c->delta[i];
    pthread_mutex_unlock(&s->lock);
    c->in_transaction = false;
    return true;
}

static void transaction_roll_back(struct connection *c)
{
    c->in_transaction = false;
}

/* ------------------------------------------------------------ the pool */

struct slot {
    struct connection connection;
    bool taken;
};

struct statistics {
    unsigned taken, waited, reconnected, timeouts;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t released;
    struct server *server;
    struct slot slot[CONNECTIONS];
    struct statistics statistics;
};

static void pool_init(struct pool *p, struct server *s)
{
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->released, NULL);
    p->server = s;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        p->slot[i].connection.number = i + 1;
        connection_open(&p->slot[i].connection, s);
    }
}

static void pool_end(struct pool *p)
{
    for (int i = 0; i < CONNECTIONS; i++)
        p->slot[i].connection.open = false;
    pthread_cond_destroy(&p->released);
    pthread_mutex_destroy(&p->lock);
}

/* With the lock. */
static struct slot *idle_slot(struct pool *p)
{
    for (int i = 0; i < CONNECTIONS; i++)
        if (!p->slot[i].taken)
            return &p->slot[i];
    return NULL;
}

static void make_usable(struct pool *p, struct connection *c)
{
    if (!c->open) {
        connection_open(c, p->server);
        p->statistics.reconnected++;
    }
}

static struct connection *pool_take(struct pool *p)
{
    struct slot *s;
    pthread_mutex_lock(&p->lock);
    while ((s = idle_slot(p)) == NULL) {
        p->statistics.waited++;
        pthread_cond_wait(&p->released, &p->lock);
    }
#ifdef FIXED
    s->taken = true;
#endif
    p->statistics.taken++;
    make_usable(p, &s->connection);
    pthread_mutex_unlock(&p->lock);
#ifndef FIXED
    s->taken = true;
#endif
    s->connection.uses++;
    return &s->connection;
}

static void pool_give(struct pool *p, struct connection *c)
{
    struct slot *s = (struct slot *)((char *)c - offsetof(struct slot, connection));
    if (c->in_transaction)
        transaction_roll_back(c);
    pthread_mutex_lock(&p->lock);
    s->taken = false;
    pthread_cond_signal(&p->released);
    pthread_mutex_unlock(&p->lock);
}

/* Looks at connections that nobody uses; a broken one is opened again. */
static unsigned pool_health_check(struct pool *p)
{
    unsigned repaired = 0;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < CONNECTIONS; i++) {
        struct slot *s = &p->slot[i];
        if (s->taken || s->connection.open)
            continue;
        make_usable(p, &s->connection);
        repaired++;
    }
    pthread_mutex_unlock(&p->lock);
    return repaired;
}

/* ------------------------------------------------------------ clients */

struct client {
    struct pool *pool;
    int id, from, to, transfers;
    long amount;
    int refused;
    bool breaks;
};

static bool transfer(struct client *k, struct connection *c)
{
    if (!transaction_begin(c))
        return false;
    bool alone = c->owner == 0;
    c->owner = k->id;
    bool done = transaction_add(c, k->from, -k->amount) && transaction_add(c, k->to, k->amount) &&
                c->owner == k->id && transaction_commit(c);
    c->owner = 0;
    return alone && done;
}

static void *client(void *data)
{
    struct client *k = data;
    for (int i = 0; i < k->transfers; i++) {
        struct connection *c = pool_take(k->pool);
        if (!transfer(k, c))
            k->refused++;
        if (k->breaks)
            connection_break(c);
        pool_give(k->pool, c);
    }
    return NULL;
}

static void run_clients(struct client *k, int count)
{
    pthread_t thread[4];
    for (int i = 0; i < count; i++)
        thread[i] = spawn(client, &k[i]);
    for (int i = 0; i < count; i++)
        join(thread[i]);
}

/* ------------------------------------------------------------ tests */

static void transfers_keep_the_total(void)
{
    struct server server;
    struct pool pool;
    server_init(&server, 100);
    pool_init(&pool, &server);
    struct client k[2] = { { &pool, 1, 0, 1, 1, 10, 0, false }, { &pool, 2, 1, 2, 1, 20, 0, false } };
    run_clients(k, 2);
    CU_ASSERT_EQUAL(k[0].refused + k[1].refused, 0);
    CU_ASSERT_EQUAL(server_total(&server), 100 * ACCOUNTS);
    CU_ASSERT_EQUAL(server.account[0], 90);
    CU_ASSERT_EQUAL(server.account[2], 120);
    pool_end(&pool);
}

static void three_share_two(void)
{
    struct server server;
    struct pool pool;
    server_init(&server, 50);
    pool_init(&pool, &server);
    struct client k[3] = { { &pool, 1, 0, 1, 1, 5, 0, false },
                           { &pool, 2, 1, 2, 1, 5, 0, false },
                           { &pool, 3, 2, 0, 1, 5, 0, false } };
    run_clients(k, 3);
    CU_ASSERT_EQUAL(k[0].refused + k[1].refused + k[2].refused, 0);
    CU_ASSERT_EQUAL(server_total(&server), 50 * ACCOUNTS);
    CU_ASSERT_EQUAL(pool.statistics.taken, 3);
    pool_end(&pool);
}

static void broken_ones_come_back(void)
{
    struct server server;
    struct pool pool;
    server_init(&server, 10);
    pool_init(&pool, &server);
    struct client k = { &pool, 1, 0, 1, 2, 1, 0, true };
    run_clients(&k, 1);
    CU_ASSERT_EQUAL(k.refused, 0);
    CU_ASSERT_EQUAL(pool_health_check(&pool) + pool.statistics.reconnected, 2 + 1);
    CU_ASSERT_EQUAL(server_total(&server), 10 * ACCOUNTS);
    pool_end(&pool);
}

static const struct app_test tests[] = { { "transfers_keep_the_total", transfers_keep_the_total },
                                         { "three_share_two", three_share_two },
                                         { "broken_ones_come_back", broken_ones_come_back } };
APP_MAIN("connection_pool", tests)
