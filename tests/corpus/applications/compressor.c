/* SPDX-License-Identifier: Apache-2.0
 * class: check then act
 * bug: a compressor first finds its queue empty, then asks whether the reader is
 *      through; what the reader added between the two is never compressed
 * expect: FAILING, the end of the input is missing
 *
 * A compressor as a pipeline: a reader cuts the input into blocks, a compressor
 * packs runs, a writer puts blocks in order behind headers; and the way back. */
#include "app.h"

#define BLOCK_BYTES 8
#define QUEUE_MAX 16
#define PACKED_MAX (2 * BLOCK_BYTES)
#define OUTPUT_MAX 512

struct block {
    unsigned number;
    size_t length;
    unsigned char data[PACKED_MAX];
    uint32_t checksum; /* of what was read */
};

struct queue {
    pthread_mutex_t lock;
    struct block *block[QUEUE_MAX];
    unsigned first, length;
    unsigned passed;
};

struct pipeline {
    const unsigned char *input;
    size_t input_length;
    struct queue raw, packed;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool reader_done, compressor_done;
    unsigned char output[OUTPUT_MAX];
    size_t output_length;
    unsigned blocks_in, blocks_out;
};

/* ------------------------------------------------------------ packing: (count, byte) */

static uint32_t checksum(const unsigned char *data, size_t length)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static size_t pack(const unsigned char *from, size_t length, unsigned char *to)
{
    size_t out = 0;
    for (size_t i = 0; i < length;) {
        size_t run = 1;
        while (i + run < length && from[i + run] == from[i] && run < 255)
            run++;
        to[out++] = (unsigned char)run;
        to[out++] = from[i];
        i += run;
    }
    return out;
}

static size_t unpack(const unsigned char *from, size_t length, unsigned char *to, size_t room)
{
    size_t out = 0;
    for (size_t i = 0; i + 1 < length; i += 2)
        for (unsigned k = 0; k < from[i] && out < room; k++)
            to[out++] = from[i + 1];
    return out;
}

/* ------------------------------------------------------------ queues */

static void queue_init(struct queue *q)
{
    memset(q, 0, sizeof *q);
    pthread_mutex_init(&q->lock, NULL);
}

static void queue_put(struct queue *q, struct block *b)
{
    pthread_mutex_lock(&q->lock);
    if (q->length == QUEUE_MAX)
        abort();
    q->block[(q->first + q->length++) % QUEUE_MAX] = b;
    pthread_mutex_unlock(&q->lock);
}

static struct block *queue_take(struct queue *q)
{
    struct block *b = NULL;
    pthread_mutex_lock(&q->lock);
    if (q->length) {
        b = q->block[q->first];
        q->first = (q->first + 1) % QUEUE_MAX;
        q->length--;
        q->passed++;
    }
    pthread_mutex_unlock(&q->lock);
    return b;
}

static bool queue_is_empty(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool empty = q->length == 0;
    pthread_mutex_unlock(&q->lock);
    return empty;
}

static void queue_end(struct queue *q)
{
    struct block *b;
    while ((b = queue_take(q)) != NULL)
        free(b);
    pthread_mutex_destroy(&q->lock);
}

/* ------------------------------------------------------------ stages */

static void set_done(struct pipeline *p, bool *flag)
{
    pthread_mutex_lock(&p->lock);
    *flag = true;
    pthread_cond_broadcast(&p->moved);
    pthread_mutex_unlock(&p->lock);
}

static bool is_done(struct pipeline *p, const bool *flag)
{
    pthread_mutex_lock(&p->lock);
    bool done = *flag;
    pthread_mutex_unlock(&p->lock);
    return done;
}

static void tell_moved(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->moved);
    pthread_mutex_unlock(&p->lock);
}

/* Until the queue has something or its source is through. */
static void wait_for(struct pipeline *p, struct queue *q, const bool *source_done)
{
    pthread_mutex_lock(&p->lock);
    while (queue_is_empty(q) && !*source_done)
        pthread_cond_wait(&p->moved, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/* Nothing more will come. */
static bool is_over(struct pipeline *p, struct queue *q, const bool *source_done)
{
#ifdef FIXED
    bool done = is_done(p, source_done);
    return done && queue_is_empty(q);
#else
    bool empty = queue_is_empty(q);
    return empty && is_done(p, source_done);
#endif
}

static void *read_input(void *data)
{
    struct pipeline *p = data;
    for (size_t at = 0; at < p->input_length; at += BLOCK_BYTES) {
        struct block *b = need(calloc(1, sizeof *b));
        size_t left = p->input_length - at;
        b->number = p->blocks_in++;
        b->length = left < BLOCK_BYTES ? left : BLOCK_BYTES;
        memcpy(b->data, p->input + at, b->length);
        b->checksum = checksum(b->data, b->length);
        queue_put(&p->raw, b);
        tell_moved(p);
    }
    set_done(p, &p->reader_done);
    return NULL;
}

static void *compress(void *data)
{
    struct pipeline *p = data;
    while (!is_over(p, &p->raw, &p->reader_done)) {
        struct block *b = queue_take(&p->raw);
        if (!b) {
            wait_for(p, &p->raw, &p->reader_done);
            continue;
        }
        unsigned char packed[PACKED_MAX];
        b->length = pack(b->data, b->length, packed);
        memcpy(b->data, packed, b->length);
        queue_put(&p->packed, b);
        tell_moved(p);
    }
    set_done(p, &p->compressor_done);
    return NULL;
}

static void write_block(struct pipeline *p, const struct block *b)
{
    unsigned char *to = p->output + p->output_length;
    if (p->output_length + 5 + b->length > OUTPUT_MAX)
        abort();
    to[0] = (unsigned char)b->length;
    for (int i = 0; i < 4; i++)
        to[1 + i] = (unsigned char)(b->checksum >> 8 * i);
    memcpy(to + 5, b->data, b->length);
    p->output_length += 5 + b->length;
    p->blocks_out++;
}

/* Only the compressor feeds this queue and waits for nobody: asked under one lock, it cannot be missed. */
static void *write_output(void *data)
{
    struct pipeline *p = data;
    struct block *b;
    for (;;) {
        bool done = is_done(p, &p->compressor_done);
        while ((b = queue_take(&p->packed)) != NULL) {
            write_block(p, b);
            free(b);
        }
        if (done)
            return NULL;
        wait_for(p, &p->packed, &p->compressor_done);
    }
}

/* ------------------------------------------------------------ the whole, and the way back */

static struct pipeline *run_pipeline(const char *text)
{
    struct pipeline *p = need(calloc(1, sizeof *p));
    p->input = (const unsigned char *)text;
    p->input_length = strlen(text);
    queue_init(&p->raw);
    queue_init(&p->packed);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->moved, NULL);
    pthread_t reader = spawn(read_input, p), compressor = spawn(compress, p), writer = spawn(write_output, p);
    join(reader);
    join(compressor);
    join(writer);
    return p;
}

static void pipeline_free(struct pipeline *p)
{
    queue_end(&p->raw);
    queue_end(&p->packed);
    pthread_cond_destroy(&p->moved);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* The text again; false where a checksum is wrong. */
static bool expand(const struct pipeline *p, char *text, size_t room)
{
    size_t out = 0;
    for (size_t at = 0; at + 5 <= p->output_length;) {
        size_t length = p->output[at], got;
        uint32_t sum = 0;
        for (int i = 0; i < 4; i++)
            sum |= (uint32_t)p->output[at + 1 + (size_t)i] << 8 * i;
        got = unpack(p->output + at + 5, length, (unsigned char *)text + out, room - 1 - out);
        if (checksum((unsigned char *)text + out, got) != sum)
            return false;
        out += got;
        at += 5 + length;
    }
    text[out] = 0;
    return true;
}

/* ------------------------------------------------------------ tests */

static void there_and_back(const char *text)
{
    char back[128];
    struct pipeline *p = run_pipeline(text);
    CU_ASSERT_TRUE(expand(p, back, sizeof back));
    CU_ASSERT_STRING_EQUAL(back, text);
    CU_ASSERT_EQUAL(p->blocks_in, p->blocks_out);
    pipeline_free(p);
}

static void two_blocks(void) { there_and_back("aaaaaabbbbcc"); }
static void one_block(void) { there_and_back("zzz"); }
static void no_block(void) { there_and_back(""); }

static const struct app_test tests[] = { { "two_blocks", two_blocks },
                                         { "one_block", one_block },
                                         { "no_block", no_block } };
APP_MAIN("compressor", tests)
