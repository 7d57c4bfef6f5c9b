/* SPDX-License-Identifier: Apache-2.0
 * class: use after free
 * bug: a hit hands out the entry without taking a reference; an eviction in
 *      another thread frees it while it is read
 * expect: FAILING, use after free
 *
 * A cache of loaded documents, least recently used first out: a hash table, a
 * list by age, references, pinning, a limit in bytes, hit and miss counts. */
#include "app.h"

#define BUCKETS 8
#define KEY_BYTES 16
#define NO_LIMIT ((size_t)-1)

struct entry {
    char key[KEY_BYTES];
    char *text;
    size_t bytes;
    unsigned references; /* the cache's own is one */
    bool cached, pinned;
    struct entry *chain;           /* in the bucket */
    struct entry *newer, *older;   /* by age */
};

struct counts {
    unsigned hits, misses, evictions, loads;
};

struct cache {
    pthread_mutex_t lock;
    struct entry *bucket[BUCKETS];
    struct entry *newest, *oldest;
    size_t bytes, limit;
    unsigned entries;
    struct counts counts;
};

/* ------------------------------------------------------------ entries */

static unsigned hash(const char *key)
{
    unsigned h = 5381;
    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h % BUCKETS;
}

static struct entry *entry_new(const char *key, const char *text)
{
    struct entry *e = need(calloc(1, sizeof *e));
    snprintf(e->key, sizeof e->key, "%s", key);
    e->bytes = strlen(text) + 1;
    e->text = need(malloc(e->bytes));
    memcpy(e->text, text, e->bytes);
    e->references = 1;
    return e;
}

static void entry_free(struct entry *e)
{
    free(e->text);
    free(e);
}

/* With the lock. */
static void entry_drop(struct entry *e)
{
    if (--e->references == 0)
        entry_free(e);
}

/* ------------------------------------------------------------ lists; with the lock */

static void age_remove(struct cache *c, struct entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
    e->newer = e->older = NULL;
}

static void age_add(struct cache *c, struct entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static struct entry *find(struct cache *c, const char *key)
{
    struct entry *e = c->bucket[hash(key)];
    while (e && strcmp(e->key, key) != 0)
        e = e->chain;
    return e;
}

static void unlink_entry(struct cache *c, struct entry *e)
{
    struct entry **at = &c->bucket[hash(e->key)];
    while (*at != e)
        at = &(*at)->chain;
    *at = e->chain;
    age_remove(c, e);
    c->bytes -= e->bytes;
    c->entries--;
    e->cached = false;
    entry_drop(e);
}

static void insert(struct cache *c, struct entry *e)
{
    struct entry **bucket = &c->bucket[hash(e->key)];
    e->chain = *bucket;
    *bucket = e;
    age_add(c, e);
    c->bytes += e->bytes;
    c->entries++;
    e->cached = true;
}

static struct entry *oldest_unpinned(struct cache *c)
{
    struct entry *e = c->oldest;
    while (e && e->pinned)
        e = e->newer;
    return e;
}

static void shrink(struct cache *c, size_t limit)
{
    struct entry *e;
    while (c->bytes > limit && (e = oldest_unpinned(c)) != NULL && e != c->newest) {
        unlink_entry(c, e);
        c->counts.evictions++;
    }
}

/* ------------------------------------------------------------ the cache */

static struct cache *cache_new(size_t limit)
{
    struct cache *c = need(calloc(1, sizeof *c));
    pthread_mutex_init(&c->lock, NULL);
    c->limit = limit;
    return c;
}

static void cache_free(struct cache *c)
{
    while (c->newest)
        unlink_entry(c, c->newest);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

typedef void (*loader)(const char *key, char *text, size_t size);

/* The caller's until cache_release. */
static struct entry *cache_get(struct cache *c, const char *key, loader load)
{
    char text[64];
    pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, key);
    if (e) {
        c->counts.hits++;
        age_remove(c, e);
        age_add(c, e);
    } else {
        c->counts.misses++;
        c->counts.loads++;
        load(key, text, sizeof text);
        e = entry_new(key, text);
        insert(c, e);
    }
#ifdef FIXED
    e->references++;
#endif
    shrink(c, c->limit);
    pthread_mutex_unlock(&c->lock);
    return e;
}

static void cache_release(struct cache *c, struct entry *e)
{
#ifdef FIXED
    pthread_mutex_lock(&c->lock);
    entry_drop(e);
    pthread_mutex_unlock(&c->lock);
#else
    (void)c, (void)e;
#endif
}

static bool cache_pin(struct cache *c, const char *key, bool pinned)
{
    pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, key);
    if (e)
        e->pinned = pinned;
    pthread_mutex_unlock(&c->lock);
    return e != NULL;
}

static bool cache_remove(struct cache *c, const char *key)
{
    pthread_mutex_lock(&c->lock);
    struct entry *e = find(c, key);
    if (e)
        unlink_entry(c, e);
    pthread_mutex_unlock(&c->lock);
    return e != NULL;
}

static bool cache_has(struct cache *c, const char *key)
{
    pthread_mutex_lock(&c->lock);
    bool has = find(c, key) != NULL;
    pthread_mutex_unlock(&c->lock);
    return has;
}

/* What the lists say is what the counters say. */
static bool cache_is_sound(struct cache *c)
{
    unsigned entries = 0, chained = 0;
    size_t bytes = 0;
    pthread_mutex_lock(&c->lock);
    for (struct entry *e = c->newest; e; e = e->older) {
        entries++;
        bytes += e->bytes;
    }
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *e = c->bucket[i]; e; e = e->chain)
            chained += e->cached;
    bool sound = entries == c->entries && chained == c->entries && bytes == c->bytes;
    pthread_mutex_unlock(&c->lock);
    return sound;
}

/* ------------------------------------------------------------ tests */

static void load_document(const char *key, char *text, size_t size)
{
    snprintf(text, size, "the text of %s", key);
}

struct visitor {
    struct cache *cache;
    const char *key[2];
    int wrong;
};

static void *visit(void *data)
{
    struct visitor *v = data;
    for (int i = 0; i < 2; i++) {
        char expected[64];
        struct entry *e = cache_get(v->cache, v->key[i], load_document);
        load_document(v->key[i], expected, sizeof expected);
        v->wrong += strcmp(e->text, expected) != 0;
        cache_release(v->cache, e);
    }
    return NULL;
}

static void visit_both(struct cache *c, struct visitor *a, struct visitor *b)
{
    a->cache = b->cache = c;
    pthread_t first = spawn(visit, a), second = spawn(visit, b);
    join(first);
    join(second);
    CU_ASSERT_EQUAL(a->wrong + b->wrong, 0);
    CU_ASSERT_TRUE(cache_is_sound(c));
    CU_ASSERT_EQUAL(c->counts.hits + c->counts.misses, 4);
}

static void room_for_one(void)
{
    struct visitor a = { .key = { "alpha", "beta" } }, b = { .key = { "gamma", "delta" } };
    struct cache *c = cache_new(20);
    visit_both(c, &a, &b);
    CU_ASSERT_TRUE(c->bytes <= 20);
    cache_free(c);
}

static void room_for_all(void)
{
    struct visitor a = { .key = { "alpha", "beta" } }, b = { .key = { "beta", "alpha" } };
    struct cache *c = cache_new(NO_LIMIT);
    visit_both(c, &a, &b);
    CU_ASSERT_EQUAL(c->counts.loads, 2);
    CU_ASSERT_TRUE(cache_has(c, "alpha"));
    cache_free(c);
}

static void pinned_stays(void)
{
    struct visitor a = { .key = { "beta", "gamma" } }, b = { .key = { "beta", "gamma" } };
    struct cache *c = cache_new(NO_LIMIT);
    cache_release(c, cache_get(c, "alpha", load_document));
    CU_ASSERT_TRUE(cache_pin(c, "alpha", true));
    c->counts = (struct counts){ 0 };
    visit_both(c, &a, &b);
    CU_ASSERT_TRUE(cache_has(c, "alpha"));
    CU_ASSERT_TRUE(cache_remove(c, "alpha"));
    cache_free(c);
}

static const struct app_test tests[] = { { "room_for_one", room_for_one },
                                         { "room_for_all", room_for_all },
                                         { "pinned_stays", pinned_stays } };
APP_MAIN("lru_cache", tests)
