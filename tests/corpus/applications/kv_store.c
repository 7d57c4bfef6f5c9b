/* SPDX-License-Identifier: Apache-2.0
 * class: half-done multi-word update
 * bug: a snapshot locks one shard after the other; a batch that writes to two
 *      shards shows up in it by halves
 * expect: FAILING, the snapshot's sum is wrong
 *
 * A key-value store in shards: get, put, remove, batches over several shards,
 * snapshots that can be read while the store goes on, iteration, versions. */
#include "app.h"

#define SHARDS 2
#define BATCH_MAX 4
#define KEY_BYTES 12

struct pair {
    char key[KEY_BYTES];
    long value;
    unsigned version;
    struct pair *next;
};

struct shard {
    pthread_rwlock_t lock;
    struct pair *first;
    unsigned pairs, version;
};

struct store {
    struct shard shard[SHARDS];
};

struct snapshot {
    struct pair *pair;
    unsigned pairs;
    unsigned version[SHARDS];
};

struct write {
    const char *key;
    long value;
    bool remove;
};

struct batch {
    struct write write[BATCH_MAX];
    unsigned writes;
};

/* ------------------------------------------------------------ shards; with their lock */

static unsigned shard_of(const char *key)
{
    unsigned sum = 0;
    while (*key)
        sum = sum * 31 + (unsigned char)*key++;
    return sum % SHARDS;
}

static struct pair **place_of(struct shard *s, const char *key)
{
    struct pair **at = &s->first;
    while (*at && strcmp((*at)->key, key) < 0)
        at = &(*at)->next;
    return at;
}

static struct pair *shard_find(struct shard *s, const char *key)
{
    struct pair *p = *place_of(s, key);
    return p && strcmp(p->key, key) == 0 ? p : NULL;
}

static void shard_put(struct shard *s, const char *key, long value)
{
    struct pair **at = place_of(s, key), *p = *at;
    if (!p || strcmp(p->key, key) != 0) {
        p = need(calloc(1, sizeof *p));
        snprintf(p->key, sizeof p->key, "%s", key);
        p->next = *at;
        *at = p;
        s->pairs++;
    }
    p->value = value;
    p->version = ++s->version;
}

static bool shard_remove(struct shard *s, const char *key)
{
    struct pair **at = place_of(s, key), *p = *at;
    if (!p || strcmp(p->key, key) != 0)
        return false;
    *at = p->next;
    free(p);
    s->pairs--;
    s->version++;
    return true;
}

/* ------------------------------------------------------------ the store */

static struct store *store_new(void)
{
    struct store *st = need(calloc(1, sizeof *st));
    for (int i = 0; i < SHARDS; i++)
        pthread_rwlock_init(&st->shard[i].lock, NULL);
    return st;
}

static void store_free(struct store *st)
{
    for (int i = 0; i < SHARDS; i++) {
        while (st->shard[i].first) {
            struct pair *p = st->shard[i].first;
            st->shard[i].first = p->next;
            free(p);
        }
        pthread_rwlock_destroy(&st->shard[i].lock);
    }
    free(st);
}

static void store_put(struct store *st, const char *key, long value)
{
    struct shard *s = &st->shard[shard_of(key)];
    pthread_rwlock_wrlock(&s->lock);
    shard_put(s, key, value);
    pthread_rwlock_unlock(&s->lock);
}

static bool store_get(struct store *st, const char *key, long *value)
{
    struct shard *s = &st->shard[shard_of(key)];
    pthread_rwlock_rdlock(&s->lock);
    struct pair *p = shard_find(s, key);
    if (p)
        *value = p->value;
    pthread_rwlock_unlock(&s->lock);
    return p != NULL;
}

static unsigned store_size(struct store *st)
{
    unsigned pairs = 0;
    for (int i = 0; i < SHARDS; i++) {
        pthread_rwlock_rdlock(&st->shard[i].lock);
        pairs += st->shard[i].pairs;
        pthread_rwlock_unlock(&st->shard[i].lock);
    }
    return pairs;
}

/* ------------------------------------------------------------ batches */

static void batch_put(struct batch *b, const char *key, long value)
{
    if (b->writes < BATCH_MAX)
        b->write[b->writes++] = (struct write){ key, value, false };
}

static void batch_remove(struct batch *b, const char *key)
{
    if (b->writes < BATCH_MAX)
        b->write[b->writes++] = (struct write){ key, 0, true };
}

/* All of it or nothing: the locks of all shards concerned, in their order. */
static void store_apply(struct store *st, const struct batch *b)
{
    bool concerned[SHARDS] = { false };
    for (unsigned i = 0; i < b->writes; i++)
        concerned[shard_of(b->write[i].key)] = true;
    for (int i = 0; i < SHARDS; i++)
        if (concerned[i])
            pthread_rwlock_wrlock(&st->shard[i].lock);
    for (unsigned i = 0; i < b->writes; i++) {
        struct shard *s = &st->shard[shard_of(b->write[i].key)];
        if (b->write[i].remove)
            shard_remove(s, b->write[i].key);
        else
            shard_put(s, b->write[i].key, b->write[i].value);
    }
    for (int i = SHARDS - 1; i >= 0; i--)
        if (concerned[i])
            pthread_rwlock_unlock(&st->shard[i].lock);
}

/* ------------------------------------------------------------ snapshots */

static void copy_shard(struct snapshot *n, const struct shard *s, int number)
{
    n->pair = need(realloc(n->pair, (n->pairs + s->pairs + 1) * sizeof *n->pair));
    for (const struct pair *p = s->first; p; p = p->next)
        n->pair[n->pairs++] = *p;
    n->version[number] = s->version;
}

static struct snapshot *snapshot_take(struct store *st)
{
    struct snapshot *n = need(calloc(1, sizeof *n));
#ifdef FIXED
    for (int i = 0; i < SHARDS; i++)
        pthread_rwlock_rdlock(&st->shard[i].lock);
    for (int i = 0; i < SHARDS; i++)
        copy_shard(n, &st->shard[i], i);
    for (int i = SHARDS - 1; i >= 0; i--)
        pthread_rwlock_unlock(&st->shard[i].lock);
#else
    for (int i = 0; i < SHARDS; i++) {
        pthread_rwlock_rdlock(&st->shard[i].lock);
        copy_shard(n, &st->shard[i], i);
        pthread_rwlock_unlock(&st->shard[i].lock);
    }
#endif
    return n;
}

static void snapshot_free(struct snapshot *n)
{
    free(n->pair);
    free(n);
}

static const struct pair *snapshot_find(const struct snapshot *n, const char *key)
{
    for (unsigned i = 0; i < n->pairs; i++)
        if (strcmp(n->pair[i].key, key) == 0)
            return &n->pair[i];
    return NULL;
}

/* The pair that was written last in its shard, or NULL. */
static const struct pair *snapshot_newest(const struct snapshot *n, int shard)
{
    for (unsigned i = 0; i < n->pairs; i++)
        if (n->pair[i].version == n->version[shard] && shard_of(n->pair[i].key) == (unsigned)shard)
            return &n->pair[i];
    return NULL;
}

static long snapshot_sum(const struct snapshot *n)
{
    long sum = 0;
    for (unsigned i = 0; i < n->pairs; i++)
        sum += n->pair[i].value;
    return sum;
}

/* ------------------------------------------------------------ tests */

struct task {
    struct store *store;
    long sum;
    unsigned pairs;
};

static void *move_money(void *data)
{
    struct task *t = data;
    struct batch b = { 0 };
    batch_put(&b, "alice", 60);
    batch_put(&b, "bob", 140);
    store_apply(t->store, &b);
    return NULL;
}

static void *swap_names(void *data)
{
    struct task *t = data;
    struct batch b = { 0 };
    batch_remove(&b, "alice");
    batch_put(&b, "carol", 100);
    store_apply(t->store, &b);
    return NULL;
}

static void *audit(void *data)
{
    struct task *t = data;
    struct snapshot *n = snapshot_take(t->store);
    t->sum = snapshot_sum(n);
    t->pairs = n->pairs;
    CU_ASSERT_PTR_NOT_NULL(snapshot_find(n, "bob"));
    snapshot_free(n);
    return NULL;
}

static void audit_during(void *(*change)(void *))
{
    struct task t = { .store = store_new() };
    long value = 0;
    store_put(t.store, "alice", 100);
    store_put(t.store, "bob", 100);
    pthread_t changer = spawn(change, &t), auditor = spawn(audit, &t);
    join(changer);
    join(auditor);
    CU_ASSERT_EQUAL(t.sum, 200);
    CU_ASSERT_EQUAL(t.pairs, 2);
    CU_ASSERT_EQUAL(store_size(t.store), 2);
    CU_ASSERT_TRUE(store_get(t.store, "bob", &value));
    store_free(t.store);
}

static void snapshot_during_transfer(void) { audit_during(move_money); }
static void snapshot_during_rename(void) { audit_during(swap_names); }

static void newest_of_a_shard(void)
{
    struct store *st = store_new();
    store_put(st, "alice", 1);
    store_put(st, "alice", 2);
    struct snapshot *n = snapshot_take(st);
    const struct pair *p = snapshot_newest(n, (int)shard_of("alice"));
    CU_ASSERT_PTR_NOT_NULL(p);
    CU_ASSERT_EQUAL(p ? p->value : 0, 2);
    snapshot_free(n);
    store_free(st);
}

static const struct app_test tests[] = { { "snapshot_during_transfer", snapshot_during_transfer },
                                         { "snapshot_during_rename", snapshot_during_rename },
                                         { "newest_of_a_shard", newest_of_a_shard } };
APP_MAIN("kv_store", tests)
