/* SPDX-License-Identifier: Apache-2.0
 * Writes of every size and shape. Each target has a name and is written with a value that the test knows; a
 * second thread reads it all, so that no compiler may leave anything out. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

typedef struct { uint8_t a; } size1;
typedef struct { uint8_t a, b; } size2;
typedef struct { uint16_t a; uint8_t b; } size4;
typedef struct { uint8_t a, b, c, d, e; } size5;
typedef struct { uint32_t a, b; } size8;
typedef struct { uint64_t a; uint32_t b; } size16;
typedef struct { uint64_t a, b, c; } size24;
typedef struct { unsigned low : 3, mid : 7, high : 22; } bits;
typedef struct { uint8_t before; uint16_t two; uint32_t four; uint64_t eight; } __attribute__((packed)) packed;

uint8_t w1;
uint16_t w2;
uint32_t w4;
uint64_t w8;
__int128 w16;
float wf;
double wd;
void *wp;
_Bool wb;
volatile uint32_t wv;
packed wu;
bits wbits;
size1 s1, from1;
size2 s2, from2;
size4 s4, from4;
size5 s5, from5;
size8 s8, from8;
size16 s16, from16;
size24 s24, from24;
uint32_t array[4];
union { uint32_t word; uint16_t half[2]; } both;
uint64_t total;

static void scalars(unsigned one)
{
    w1 = (uint8_t)(0x10 + one);
    w2 = (uint16_t)(0x2020 + one);
    w4 = 0x40404040u + one;
    w8 = 0x8080808080808080u + one;
    w16 = (__int128)(0x1616161616161616u + one) << 64 | (0x6161616161616161u + one);
    wf = 1.5f * (float)one;
    wd = 2.5 * (double)one;
    wp = (void *)(uintptr_t)(0x7777u + one);
    wb = one;
    wv = 0x11111111u + one;
    for (unsigned i = 0; i < 4; i++)
        array[i] = 100 + i + one;
    both.half[1] = (uint16_t)(0x1233 + one);
}

static void unaligned(unsigned one)
{
    wu.two = (uint16_t)(0x0201 + one);
    wu.four = 0x04030201u + one;
    wu.eight = 0x0807060504030201u + one;
}

static void bit_fields(unsigned one)
{
    wbits.low = 5;
    wbits.mid = 64 + one;
    wbits.high = 0x2AAAA;
}

static void fill(unsigned one)
{
    from1 = (size1){ (uint8_t)(1 + one) };
    from2 = (size2){ (uint8_t)(2 + one), 3 };
    from4 = (size4){ (uint16_t)(4 + one), 5 };
    from5 = (size5){ (uint8_t)(6 + one), 7, 8, 9, 10 };
    from8 = (size8){ 11 + one, 12 };
    from16 = (size16){ 13 + one, 14 };
    from24 = (size24){ 15 + one, 16, 17 };
}

static void structures(void)
{
    s1 = from1;
    s2 = from2;
    s4 = from4;
    s5 = from5;
    s8 = from8;
    s16 = from16;
    s24 = from24;
}

static void *read_all(void *unused)
{
    total = w1 + w2 + w4 + w8 + (uint64_t)w16 + (uint64_t)(w16 >> 64) + (uint64_t)wf + (uint64_t)wd + (uintptr_t)wp + wb + wv;
    total += wu.two + wu.four + wu.eight + wbits.low + wbits.mid + wbits.high + both.word;
    total += s1.a + s2.a + s2.b + s4.a + s4.b + s5.a + s5.e + s8.a + s8.b + s16.a + s16.b + s24.a + s24.c;
    for (int i = 0; i < 4; i++)
        total += array[i];
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    scalars((unsigned)argc);
    unaligned((unsigned)argc);
    bit_fields((unsigned)argc);
    fill((unsigned)argc);
    structures();
    pthread_create(&thread, NULL, read_all, NULL);
    pthread_join(thread, NULL);
    return total == 0;
}
