/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CUnit/Basic.h>

#include "proto/frame.h"
#include "proto/memory.h"
#include "proto/trace_file.h"
#include "proto/witness_file.h"

static char error[512];
static char path[64];
static uint32_t state = 12345;

static uint32_t rnd(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static struct hd_trace *random_trace(size_t events)
{
    struct hd_trace *t = hd_trace_new();
    uint32_t n[3] = {0};
    t->complete = t->has_values = true;
    t->outcome = HEDDLE__OUTCOME__PASSED;
    hd_trace_add_module(t, "/bin/x", "abcd", 0x1000, 0x2000);
    for (uint32_t i = 0; i < 20; i++) {
        hd_trace_add_site(t, i % 5 ? 0 : HD_NO_INDEX, i * 7);
        uint32_t parent = i ? rnd(i) : HD_NO_INDEX;
        hd_trace_add_stack(t, parent, rnd(i + 1));
    }
    hd_trace_add_thread(t, "0", 0x7000, 0x100);
    hd_trace_add_thread(t, "0.1", 0x8000, 0x100);
    hd_trace_add_thread(t, "0.2", 0x9000, 0x100);
    hd_trace_add_object(t, HD_OBJECT_MUTEX, 0x1100);
    for (size_t i = 0; i < events; i++) {
        struct hd_event *e = hd_trace_add_event(t);
        e->thread = rnd(3);
        e->kind = (uint8_t)(n[e->thread] == 0 ? HD_START : 1 + rnd(HD_KIND_COUNT - 1));
        bool index = e->kind == HD_CREATE || e->kind == HD_JOIN || e->kind == HD_BLOCKED ||
                     e->kind == HD_JOIN_FAIL || e->kind == HD_DETACH || e->kind == HD_COND_WAIT;
        e->value = index ? 1 : (uint64_t)rnd(1 << 24) << 40;
        e->address = rnd(1 << 24);
        e->address <<= rnd(40);
        e->size = (uint8_t)rnd(9);
        e->k = rnd(1000);
        e->stack = rnd(4) ? rnd(20) : HD_NO_INDEX;
        e->site = rnd(4) ? rnd(20) : HD_NO_INDEX;
        e->object = rnd(2) || hd_kind_has_object(e->kind) ? 0 : HD_NO_INDEX;
        e->second = e->kind == HD_ATOMIC_RMW ? rnd(1 << 20) : 0;
        if (hd_kind_is_sync(e->kind))
            n[e->thread] += 1 + (e->kind == HD_ATOMIC_LOAD ? e->k : 0);
        e->n = n[e->thread] - 1;
    }
    if (events)
        hd_trace_add_note(t, events - 1, "x.c", 3, "text", true);
    return t;
}

static uint8_t *small_file(size_t events, size_t *size)
{
    struct hd_trace *t = random_trace(events);
    CU_ASSERT_FATAL(hd_trace_write(t, path, error, sizeof error) == 0);
    hd_trace_free(t);
    uint8_t *bytes = hd_file_read(path, size, error, sizeof error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    return bytes;
}

static bool same_event(const struct hd_event *a, const struct hd_event *b)
{
    return a->address == b->address && a->value == b->value && a->thread == b->thread && a->object == b->object &&
           a->n == b->n && a->k == b->k && a->stack == b->stack && a->site == b->site && a->kind == b->kind &&
           a->size == b->size && a->second == b->second;
}

static void test_round_trip(void)
{
    const size_t counts[] = {0, 1, 4095, 4096, 4097, 20000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct hd_trace *t = random_trace(counts[c]);
        CU_ASSERT_EQUAL_FATAL(hd_trace_write(t, path, error, sizeof error), 0);
        struct hd_trace *back = hd_trace_read(path, error, sizeof error);
        CU_ASSERT_PTR_NOT_NULL_FATAL(back);
        CU_ASSERT(back->complete && !back->truncated && back->outcome == t->outcome);
        CU_ASSERT_EQUAL_FATAL(back->events, t->events);
        size_t differ = 0;
        for (size_t i = 0; i < t->events; i++)
            differ += !same_event(&t->event[i], &back->event[i]);
        CU_ASSERT_EQUAL(differ, 0);
        for (size_t i = 0; i < t->stacks; i++)
            differ += t->stack[i].parent != back->stack[i].parent || t->stack[i].site != back->stack[i].site;
        for (size_t i = 0; i < t->sites; i++)
            differ += t->site[i].module != back->site[i].module || t->site[i].offset != back->site[i].offset;
        CU_ASSERT_EQUAL(differ, 0);
        CU_ASSERT_EQUAL(back->module[0].base, 0x1000);
        CU_ASSERT_EQUAL(back->notes, t->notes);
        CU_ASSERT_STRING_EQUAL(back->thread[2].path, "0.2");
        hd_trace_free(back);
        hd_trace_free(t);
    }
}

static size_t put_item(uint8_t *at, const Heddle__TraceItem *item)
{
    size_t size = heddle__trace_item__get_packed_size(item), head = hd_frame_header(at, size);
    return head + heddle__trace_item__pack(item, at + head);
}

/* A chunk as version 1 wrote it: values whole, addresses one sort. */
static void test_version_one(void)
{
    Heddle__Header header = HEDDLE__HEADER__INIT;
    Heddle__Tables tables = HEDDLE__TABLES__INIT;
    Heddle__Thread thread = HEDDLE__THREAD__INIT, *threads[] = {&thread};
    Heddle__Object object = HEDDLE__OBJECT__INIT, *objects[] = {&object};
    Heddle__Chunk chunk = HEDDLE__CHUNK__INIT;
    Heddle__TraceItem item = HEDDLE__TRACE_ITEM__INIT;
    uint8_t kind[] = {HD_START, HD_WRITE, HD_LOCK, HD_READ}, of[] = {0, 8, 0, 8}, bytes[512];
    uint32_t run[] = {0}, length[] = {4}, objects_of[] = {0, 0, 1, 0};
    int32_t zero[4] = {0};
    int64_t address[] = {0, 0x4000, -0x4000, 0x4000};
    uint64_t value[] = {0, 70, 0, 71};
    thread.path = (char *)"0";
    object.kind = HD_OBJECT_MUTEX;
    header.version = 1;
    tables.n_thread = tables.n_object = 1;
    tables.thread = threads;
    tables.object = objects;
    chunk.count = 4;
    chunk.kind = (ProtobufCBinaryData){4, kind};
    chunk.size = (ProtobufCBinaryData){4, of};
    chunk.n_run_thread = chunk.n_run_length = 1;
    chunk.run_thread = run;
    chunk.run_length = length;
    chunk.n_k = chunk.n_stack = chunk.n_site = chunk.n_address = chunk.n_value = chunk.n_object = 4;
    chunk.k = chunk.stack = chunk.site = zero;
    chunk.address = address;
    chunk.value = value;
    chunk.object = objects_of;
    item.item_case = HEDDLE__TRACE_ITEM__ITEM_HEADER;
    item.header = &header;
    size_t size = put_item(bytes, &item);
    item.item_case = HEDDLE__TRACE_ITEM__ITEM_TABLES;
    item.tables = &tables;
    size += put_item(bytes + size, &item);
    item.item_case = HEDDLE__TRACE_ITEM__ITEM_CHUNK;
    item.chunk = &chunk;
    size += put_item(bytes + size, &item);
    struct hd_trace *t = hd_trace_parse(bytes, size, "one", error, sizeof error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL_FATAL(t->events, 4);
    CU_ASSERT(t->event[1].address == 0x4000 && t->event[1].value == 70);
    CU_ASSERT(t->event[2].address == 0 && t->event[2].object == 0);
    CU_ASSERT(t->event[3].address == 0x4000 && t->event[3].value == 71);
    hd_trace_free(t);
}

static void test_cut(void)
{
    size_t size, read = 0;
    uint8_t *bytes = small_file(30, &size);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut ? cut : 1); /* exact, so that ASan sees a byte too far */
        memcpy(copy, bytes, cut);
        error[0] = 0;
        struct hd_trace *t = hd_trace_parse(copy, cut, "cut", error, sizeof error);
        CU_ASSERT(t ? t->truncated : error[0] != 0);
        read += t != NULL;
        hd_trace_free(t);
        free(copy);
    }
    CU_ASSERT(read > 0);
    free(bytes);
}

static void test_flips(void)
{
    size_t size;
    uint8_t *bytes = small_file(30, &size);
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 9; bit++) {
            uint8_t mask = bit < 8 ? (uint8_t)(1 << bit) : 0xFF;
            bytes[at] ^= mask;
            error[0] = 0;
            struct hd_trace *t = hd_trace_parse(bytes, size, "flip", error, sizeof error);
            CU_ASSERT(t || error[0]);
            hd_trace_free(t);
            Heddle__Witness *w = hd_witness_parse(bytes, size, "flip", error, sizeof error);
            if (w)
                heddle__witness__free_unpacked(w, NULL);
            bytes[at] ^= mask;
        }
    }
    free(bytes);
}

static void refused(const void *bytes, size_t size, const char *why)
{
    error[0] = 0;
    CU_ASSERT_PTR_NULL(hd_trace_parse(bytes, size, "f", error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, why));
}

static void test_foreign(void)
{
    size_t size;
    uint8_t *bytes = small_file(3, &size);
    CU_ASSERT(bytes[4] == 0x08 && bytes[5] == HD_FORMAT_VERSION);
    bytes[5] = HD_FORMAT_VERSION + 1;
    refused(bytes, size, "newer heddle");
    free(bytes);
    refused("", 0, "not a heddle trace");
    refused("#!/bin/sh\n", 10, "not a heddle trace");
    refused("\n", 1, "not a heddle trace");
    CU_ASSERT_PTR_NULL(hd_trace_read("/nonexistent/x.trace", error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "/nonexistent/x.trace"));
}

static void test_witness(void)
{
    Heddle__Witness w = HEDDLE__WITNESS__INIT;
    Heddle__Header header = HEDDLE__HEADER__INIT;
    Heddle__Finding finding = HEDDLE__FINDING__INIT;
    Heddle__Slice slice = HEDDLE__SLICE__INIT, *slices[] = {&slice};
    Heddle__Step stop = HEDDLE__STEP__INIT;
    char *threads[] = {"0", "0.1", "0.1.1"};
    header.version = HD_FORMAT_VERSION;
    stop.kind = HD_LOCK;
    slice.stop = &stop;
    w.header = &header;
    w.finding = &finding;
    w.n_thread = 3;
    w.thread = threads;
    w.n_slice = 1;
    w.slice = slices;
    CU_ASSERT_EQUAL(hd_witness_write(path, &w, error, sizeof error), 0);
    Heddle__Witness *back = hd_witness_read(path, error, sizeof error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(back);
    heddle__witness__free_unpacked(back, NULL);
    CU_ASSERT_PTR_NULL(hd_trace_read(path, error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "a heddle witness, not a trace"));
    slice.thread = 3;
    hd_witness_write(path, &w, error, sizeof error);
    CU_ASSERT_PTR_NULL(hd_witness_read(path, error, sizeof error));
    slice.thread = 0;
    threads[1] = "0.2";
    hd_witness_write(path, &w, error, sizeof error);
    CU_ASSERT_PTR_NULL(hd_witness_read(path, error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "before its parent"));
    size_t size;
    free(small_file(3, &size));
    CU_ASSERT_PTR_NULL(hd_witness_read(path, error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "a heddle trace, not a witness"));
}

static void test_verdict(void)
{
    Heddle__Verdict v = HEDDLE__VERDICT__INIT;
    v.kind = HEDDLE__VERDICT__KIND__FAILING;
    CU_ASSERT_EQUAL(hd_verdict_write(path, &v, error, sizeof error), 0);
    v.kind = HEDDLE__VERDICT__KIND__HARMLESS;
    CU_ASSERT_EQUAL(hd_verdict_append(path, &v, error, sizeof error), 0);
    Heddle__VerdictFile *file = hd_verdict_read(path, error, sizeof error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(file->n_verdict, 2);
    heddle__verdict_file__free_unpacked(file, NULL);
    CU_ASSERT_PTR_NULL(hd_trace_read(path, error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "a heddle verdict"));
}

int main(void)
{
    snprintf(path, sizeof path, "trace_file_test.%ld.tmp", (long)getpid());
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("trace_file", NULL, NULL);
    CU_ADD_TEST(suite, test_round_trip);
    CU_ADD_TEST(suite, test_version_one);
    CU_ADD_TEST(suite, test_cut);
    CU_ADD_TEST(suite, test_flips);
    CU_ADD_TEST(suite, test_foreign);
    CU_ADD_TEST(suite, test_witness);
    CU_ADD_TEST(suite, test_verdict);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    unlink(path);
    return failures ? 1 : 0;
}
