/* SPDX-License-Identifier: Apache-2.0
 * class: signal instead of broadcast
 * bug: producers and consumers wait on one condition, which is signalled; the
 *      signal may wake one of the same side, and all wait
 * expect: FAILING, deadlock
 *
 * A bounded buffer of messages between producers and consumers: blocking, trying
 * and batch forms, peeking, closing, high-water mark, checksums end to end. */
#include "app.h"

#define ROOM_MAX 8
#define BODY_BYTES 24

struct message {
    unsigned producer, sequence;
    uint32_t checksum;
    char body[BODY_BYTES];
};

struct counters {
    unsigned put, got, put_waits, get_waits, refused;
    unsigned high_water;
};

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct message slot[ROOM_MAX];
    unsigned room, first, length;
    bool closed;
    struct counters counters;
};

enum outcome { DONE, FULL, EMPTY, CLOSED };

/* ------------------------------------------------------------ messages */

static uint32_t checksum_of(const struct message *m)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < sizeof m->body; i++)
        sum = (sum ^ (unsigned char)m->body[i]) * 16777619u;
    return sum ^ m->producer << 16 ^ m->sequence;
}

static struct message message_make(unsigned producer, unsigned sequence)
{
    struct message m = { .producer = producer, .sequence = sequence };
    snprintf(m.body, sizeof m.body, "no. %u from %u", sequence, producer);
    m.checksum = checksum_of(&m);
    return m;
}

static bool message_is_sound(const struct message *m)
{
    return m->checksum == checksum_of(m);
}

/* ------------------------------------------------------------ the buffer */

static struct buffer *buffer_new(unsigned room)
{
    struct buffer *b = need(calloc(1, sizeof *b));
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    b->room = room && room <= ROOM_MAX ? room : ROOM_MAX;
    return b;
}

static void buffer_free(struct buffer *b)
{
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* With the lock: something is different for whoever waits. */
static void tell(struct buffer *b)
{
#ifdef FIXED
    pthread_cond_broadcast(&b->changed);
#else
    pthread_cond_signal(&b->changed);
#endif
}

static void append(struct buffer *b, const struct message *m)
{
    b->slot[(b->first + b->length) % b->room] = *m;
    b->length++;
    b->counters.put++;
    if (b->length > b->counters.high_water)
        b->counters.high_water = b->length;
}

static void remove_first(struct buffer *b, struct message *m)
{
    *m = b->slot[b->first];
    b->first = (b->first + 1) % b->room;
    b->length--;
    b->counters.got++;
}

static enum outcome buffer_put(struct buffer *b, const struct message *m)
{
    enum outcome outcome = CLOSED;
    pthread_mutex_lock(&b->lock);
    while (b->length == b->room && !b->closed) {
        b->counters.put_waits++;
        pthread_cond_wait(&b->changed, &b->lock);
    }
    if (!b->closed) {
        append(b, m);
        tell(b);
        outcome = DONE;
    }
    pthread_mutex_unlock(&b->lock);
    return outcome;
}

static enum outcome buffer_try_put(struct buffer *b, const struct message *m)
{
    enum outcome outcome = FULL;
    pthread_mutex_lock(&b->lock);
    if (b->closed) {
        outcome = CLOSED;
    } else if (b->length < b->room) {
        append(b, m);
        tell(b);
        outcome = DONE;
    } else {
        b->counters.refused++;
    }
    pthread_mutex_unlock(&b->lock);
    return outcome;
}

/* What is left in a closed buffer is still handed out. */
static enum outcome buffer_get(struct buffer *b, struct message *m)
{
    enum outcome outcome = CLOSED;
    pthread_mutex_lock(&b->lock);
    while (b->length == 0 && !b->closed) {
        b->counters.get_waits++;
        pthread_cond_wait(&b->changed, &b->lock);
    }
    if (b->length) {
        remove_first(b, m);
        tell(b);
        outcome = DONE;
    }
    pthread_mutex_unlock(&b->lock);
    return outcome;
}

static enum outcome buffer_try_get(struct buffer *b, struct message *m)
{
    pthread_mutex_lock(&b->lock);
    enum outcome outcome = b->length ? DONE : b->closed ? CLOSED : EMPTY;
    if (outcome == DONE) {
        remove_first(b, m);
        tell(b);
    }
    pthread_mutex_unlock(&b->lock);
    return outcome;
}

static bool buffer_peek(struct buffer *b, struct message *m)
{
    pthread_mutex_lock(&b->lock);
    bool any = b->length > 0;
    if (any)
        *m = b->slot[b->first];
    pthread_mutex_unlock(&b->lock);
    return any;
}

/* As many as there is room for. */
static unsigned buffer_fill(struct buffer *b, const struct message *list, unsigned count)
{
    unsigned put = 0;
    while (put < count && buffer_try_put(b, &list[put]) == DONE)
        put++;
    return put;
}

static unsigned buffer_drain(struct buffer *b, struct message *list, unsigned most)
{
    unsigned count = 0;
    while (count < most && buffer_try_get(b, &list[count]) == DONE)
        count++;
    return count;
}

static void buffer_close(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    b->closed = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* ------------------------------------------------------------ the two sides */

struct side {
    struct buffer *buffer;
    unsigned number, messages;
    unsigned sound, unsound;
};

static void *produce(void *data)
{
    struct side *s = data;
    for (unsigned i = 0; i < s->messages; i++) {
        struct message m = message_make(s->number, i);
        if (buffer_put(s->buffer, &m) != DONE)
            break;
    }
    return NULL;
}

static void *consume(void *data)
{
    struct side *s = data;
    struct message m;
    for (unsigned i = 0; i < s->messages && buffer_get(s->buffer, &m) == DONE; i++)
        *(message_is_sound(&m) ? &s->sound : &s->unsound) += 1;
    return NULL;
}

static void *consume_until_closed(void *data)
{
    struct side *s = data;
    struct message m;
    while (buffer_get(s->buffer, &m) == DONE)
        *(message_is_sound(&m) ? &s->sound : &s->unsound) += 1;
    return NULL;
}

/* ------------------------------------------------------------ tests */

static void two_and_two(void)
{
    struct buffer *b = buffer_new(1);
    struct side producer[2] = { { b, 1, 2, 0, 0 }, { b, 2, 2, 0, 0 } };
    struct side consumer[2] = { { b, 1, 2, 0, 0 }, { b, 2, 2, 0, 0 } };
    pthread_t thread[4];
    for (int i = 0; i < 2; i++) {
        thread[2 * i] = spawn(produce, &producer[i]);
        thread[2 * i + 1] = spawn(consume, &consumer[i]);
    }
    for (int i = 0; i < 4; i++)
        join(thread[i]);
    CU_ASSERT_EQUAL(consumer[0].sound + consumer[1].sound, 4);
    CU_ASSERT_EQUAL(consumer[0].unsound + consumer[1].unsound, 0);
    CU_ASSERT_EQUAL(b->counters.put, b->counters.got);
    CU_ASSERT_EQUAL(b->counters.high_water, 1);
    buffer_free(b);
}

static void closing_hands_out_the_rest(void)
{
    struct buffer *b = buffer_new(4);
    struct side producer = { b, 1, 3, 0, 0 }, consumer = { b, 1, 0, 0, 0 };
    pthread_t p = spawn(produce, &producer), c = spawn(consume_until_closed, &consumer);
    join(p);
    buffer_close(b);
    join(c);
    CU_ASSERT_EQUAL(consumer.sound, 3);
    struct message m = message_make(9, 9);
    CU_ASSERT_EQUAL(buffer_put(b, &m), CLOSED);
    buffer_free(b);
}

static void trying_never_waits(void)
{
    struct buffer *b = buffer_new(2);
    struct message m = message_make(1, 1), list[4];
    CU_ASSERT_EQUAL(buffer_try_get(b, &m), EMPTY);
    CU_ASSERT_EQUAL(buffer_try_put(b, &m), DONE);
    CU_ASSERT_EQUAL(buffer_try_put(b, &m), DONE);
    CU_ASSERT_EQUAL(buffer_try_put(b, &m), FULL);
    CU_ASSERT_TRUE(buffer_peek(b, &m));
    CU_ASSERT_EQUAL(buffer_drain(b, list, 4), 2);
    CU_ASSERT_EQUAL(b->counters.refused, 1);
    buffer_free(b);
}

static void batches_keep_their_order(void)
{
    struct buffer *b = buffer_new(3);
    struct message list[4], back[4];
    for (unsigned i = 0; i < 4; i++)
        list[i] = message_make(1, i);
    CU_ASSERT_EQUAL(buffer_fill(b, list, 4), 3);
    CU_ASSERT_EQUAL(buffer_drain(b, back, 4), 3);
    CU_ASSERT_EQUAL(back[2].sequence, 2);
    buffer_free(b);
}

static const struct app_test tests[] = { { "two_and_two", two_and_two },
                                         { "closing_hands_out_the_rest", closing_hands_out_the_rest },
                                         { "batches_keep_their_order", batches_keep_their_order },
                                         { "trying_never_waits", trying_never_waits } };
APP_MAIN("bounded_buffer", tests)
