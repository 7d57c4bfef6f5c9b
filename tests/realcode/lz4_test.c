/* SPDX-License-Identifier: Apache-2.0
 * lz4 from four threads. own_states: each thread compresses and decompresses
 * with a state of its own. shared_state: one state for all, so what one thread
 * has put into its hash table sends another to the wrong place. */
#include "crew.h"

#include "lz4.h"

#define TEXT 600

static LZ4_stream_t shared;

static void make_text(char *text, int number)
{
    unsigned x = 12345u + 977u * (unsigned)number;
    for (int i = 0; i < TEXT; i++) {
        x = x * 1103515245u + 12345u;
        text[i] = (char)(i % 48 < 40 ? 'a' + i % 24 + number : (char)(x >> 24));
    }
}

static int round_trip(LZ4_stream_t *state, int number)
{
    char text[TEXT], packed[LZ4_COMPRESSBOUND(TEXT)], back[TEXT];
    make_text(text, number);
    int size = LZ4_compress_fast_extState(state, text, packed, TEXT, (int)sizeof packed, 1);
    if (size <= 0)
        return 1;
    if (LZ4_decompress_safe(packed, back, size, TEXT) != TEXT)
        return 2;
    return memcmp(text, back, TEXT) != 0 ? 3 : 0;
}

static void *with_own(void *data)
{
    struct member *me = data;
    LZ4_stream_t *state = LZ4_createStream();
    me->error = state ? round_trip(state, me->number) : -1;
    LZ4_freeStream(state);
    return NULL;
}

static void *with_shared(void *data)
{
    struct member *me = data;
    me->error = round_trip(&shared, me->number);
    return NULL;
}

static void own_states(void) { CU_ASSERT_EQUAL(crew_run(with_own), 0); }
static void shared_state(void) { CU_ASSERT_EQUAL(crew_run(with_shared), 0); }

int main(int argc, char **argv)
{
    static const struct named_test tests[] = { { "own_states", own_states },
                                               { "shared_state", shared_state },
                                               { NULL, NULL } };
    return run_named("lz4", tests, argc, argv);
}
