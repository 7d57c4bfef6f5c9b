/* SPDX-License-Identifier: Apache-2.0
 * class: atomicity, two critical sections
 * bug: bytes received are added to the total that was read under the lock some
 *      lines earlier, when the progress was shown
 * expect: FAILING, lost update: the total is less than what was received
 *
 * A download manager: servers that speak over pipes, a worker a download, ranges
 * and resuming, a share of the bandwidth, progress, digests at the end. */
#include "app.h"

#include <unistd.h>

#define DOWNLOADS_MAX 4
#define BODY_MAX 48
#define CHUNK 16

/* ------------------------------------------------------------ the servers */

struct server {
    const char *body;
    size_t length;
    size_t breaks_after; /* bytes; 0: does not */
    int request[2], reply[2];
    unsigned served;
    pthread_t thread;
};

struct request {
    uint32_t from, to; /* bytes wanted; nothing: good-bye */
};

static bool read_all(int fd, void *to, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        ssize_t got = read(fd, (char *)to + have, bytes - have);
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t put = write(fd, (const char *)from + done, bytes - done);
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

/* A reply is a length and so many bytes: fewer than asked for where the line breaks. */
static void serve_one(struct server *s, struct request r)
{
    size_t from = r.from < s->length ? r.from : s->length, to = r.to < s->length ? r.to : s->length;
    if (s->breaks_after && s->served == 0 && to - from > s->breaks_after)
        to = from + s->breaks_after;
    uint32_t length = (uint32_t)(to - from);
    s->served++;
    if (write_all(s->reply[1], &length, sizeof length))
        write_all(s->reply[1], s->body + from, length);
}

static void *serve(void *data)
{
    struct server *s = data;
    struct request r;
    while (read_all(s->request[0], &r, sizeof r) && r.from < r.to)
        serve_one(s, r);
    return NULL;
}

static void server_start(struct server *s, const char *body, size_t breaks_after)
{
    memset(s, 0, sizeof *s);
    s->body = body;
    s->length = strlen(body);
    s->breaks_after = breaks_after;
    if (pipe(s->request) != 0 || pipe(s->reply) != 0)
        abort();
    s->thread = spawn(serve, s);
}

static void server_stop(struct server *s)
{
    struct request good_bye = { 0, 0 };
    write_all(s->request[1], &good_bye, sizeof good_bye);
    join(s->thread);
    for (int i = 0; i < 2; i++) {
        close(s->request[i]);
        close(s->reply[i]);
    }
}

/* ------------------------------------------------------------ the manager */

enum state { WAITING, RUNNING, COMPLETE, FAILED };

struct manager;

struct download {
    struct manager *manager;
    struct server *server;
    size_t expected, received;
    char body[BODY_MAX + 1];
    uint32_t digest;
    enum state state;
    unsigned resumed;
};

struct manager {
    pthread_mutex_t lock;
    pthread_cond_t slot_free;
    struct download download[DOWNLOADS_MAX];
    unsigned downloads, running, running_max;
    size_t total, shown; /* bytes of all downloads; what the progress line said last */
    unsigned updates;
};

static uint32_t digest_of(const char *body, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)body[i]) * 16777619u;
    return h;
}

static void manager_init(struct manager *m, unsigned running_max)
{
    memset(m, 0, sizeof *m);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->slot_free, NULL);
    m->running_max = running_max;
}

static void manager_end(struct manager *m)
{
    pthread_cond_destroy(&m->slot_free);
    pthread_mutex_destroy(&m->lock);
}

static struct download *manager_add(struct manager *m, struct server *s)
{
    struct download *d = &m->download[m->downloads++];
    d->manager = m;
    d->server = s;
    d->expected = s->length;
    return d;
}

static void take_slot(struct manager *m, struct download *d)
{
    pthread_mutex_lock(&m->lock);
    while (m->running == m->running_max)
        pthread_cond_wait(&m->slot_free, &m->lock);
    m->running++;
    d->state = RUNNING;
    pthread_mutex_unlock(&m->lock);
}

static void give_slot(struct manager *m, struct download *d, enum state state)
{
    pthread_mutex_lock(&m->lock);
    m->running--;
    d->state = state;
    pthread_cond_signal(&m->slot_free);
    pthread_mutex_unlock(&m->lock);
}

/* The progress line; returns what it says. */
static size_t show_progress(struct manager *m)
{
    pthread_mutex_lock(&m->lock);
    size_t total = m->total;
    m->shown = total;
    m->updates++;
    pthread_mutex_unlock(&m->lock);
    return total;
}

static void account(struct manager *m, size_t bytes)
{
#ifdef FIXED
    show_progress(m);
    pthread_mutex_lock(&m->lock);
    m->total += bytes;
    pthread_mutex_unlock(&m->lock);
#else
    size_t total = show_progress(m);
    pthread_mutex_lock(&m->lock);
    m->total = total + bytes;
    pthread_mutex_unlock(&m->lock);
#endif
}

/* ------------------------------------------------------------ a download */

static bool fetch_range(struct download *d, size_t from, size_t to)
{
    struct request r = { (uint32_t)from, (uint32_t)to };
    uint32_t length;
    if (!write_all(d->server->request[1], &r, sizeof r) ||
        !read_all(d->server->reply[0], &length, sizeof length) || length > to - from || length == 0)
        return false;
    if (!read_all(d->server->reply[0], d->body + from, length))
        return false;
    d->received += length;
    account(d->manager, length);
    if (length < to - from)
        d->resumed++;
    return true;
}

static void *download(void *data)
{
    struct download *d = data;
    bool well = true;
    take_slot(d->manager, d);
    while (well && d->received < d->expected) {
        size_t left = d->expected - d->received;
        well = fetch_range(d, d->received, d->received + (left < CHUNK ? left : CHUNK));
    }
    d->body[d->received] = 0;
    d->digest = digest_of(d->body, d->received);
    give_slot(d->manager, d, well ? COMPLETE : FAILED);
    return NULL;
}

/* What the progress line would say: "12 of 24 bytes, 1 of 2 complete". */
static void describe(struct manager *m, char *line, size_t size)
{
    size_t expected = 0;
    unsigned complete = 0;
    pthread_mutex_lock(&m->lock);
    for (unsigned i = 0; i < m->downloads; i++) {
        expected += m->download[i].expected;
        complete += m->download[i].state == COMPLETE;
    }
    snprintf(line, size, "%zu of %zu bytes, %u of %u complete", m->total, expected, complete, m->downloads);
    pthread_mutex_unlock(&m->lock);
}

static void download_all(struct manager *m)
{
    pthread_t thread[DOWNLOADS_MAX];
    for (unsigned i = 0; i < m->downloads; i++)
        thread[i] = spawn(download, &m->download[i]);
    for (unsigned i = 0; i < m->downloads; i++)
        join(thread[i]);
}

static bool is_complete(const struct download *d)
{
    return d->state == COMPLETE && d->received == d->expected && strcmp(d->body, d->server->body) == 0 &&
           d->digest == digest_of(d->server->body, d->server->length);
}

/* ------------------------------------------------------------ tests */

static void run_two(unsigned at_once, const char *first, const char *second, size_t breaks_after, unsigned resumed)
{
    struct server a, b;
    struct manager m;
    server_start(&a, first, breaks_after);
    server_start(&b, second, 0);
    manager_init(&m, at_once);
    struct download *x = manager_add(&m, &a), *y = manager_add(&m, &b);
    download_all(&m);
    CU_ASSERT_TRUE(is_complete(x));
    CU_ASSERT_TRUE(is_complete(y));
    CU_ASSERT_EQUAL(x->resumed, resumed);
    CU_ASSERT_EQUAL(m.total, strlen(first) + strlen(second));
    char line[64], expected[64];
    size_t bytes = strlen(first) + strlen(second);
    snprintf(expected, sizeof expected, "%zu of %zu bytes, 2 of 2 complete", bytes, bytes);
    describe(&m, line, sizeof line);
    CU_ASSERT_STRING_EQUAL(line, expected);
    CU_ASSERT_EQUAL(m.running, 0);
    CU_ASSERT_TRUE(m.updates >= 2);
    CU_ASSERT_TRUE(m.shown <= strlen(first) + strlen(second));
    manager_end(&m);
    server_stop(&a);
    server_stop(&b);
}

static void two_at_once(void) { run_two(2, "a small text", "another text", 0, 0); }
static void one_at_a_time(void) { run_two(1, "some text", "more of it", 0, 0); }
static void resumes_where_it_broke(void) { run_two(2, "this line breaks", "this one holds", 7, 1); }

static void one_byte_is_enough(void)
{
    run_two(2, "a text", "b", 0, 0);
}

static const struct app_test tests[] = { { "two_at_once", two_at_once },
                                         { "one_at_a_time", one_at_a_time },
                                         { "one_byte_is_enough", one_byte_is_enough },
                                         { "resumes_where_it_broke", resumes_where_it_broke } };
APP_MAIN("downloads", tests)
