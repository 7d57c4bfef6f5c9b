/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "proto/memory.h"
#include "proto/name_table.h"
#include "proto/spd_data.h"
#include "proto/std_text.h"
#include "proto/trace_open.h"

static char error[512];

static struct hd_trace *std_trace(const char *text, struct hd_repairs *repairs)
{
    return hd_std_parse((const uint8_t *)text, strlen(text), "x/t.std", repairs, error, sizeof error);
}

static void test_names(void)
{
    struct hd_name_table table = {0};
    char name[24];
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 1000; i++) {
            int length = snprintf(name, sizeof name, "name %u", i);
            CU_ASSERT_EQUAL(hd_name_put(&table, name, (size_t)length), i);
        }
    CU_ASSERT_STRING_EQUAL(hd_name_text(&table, 999), "name 999");
    CU_ASSERT_EQUAL(hd_name_put(&table, "", 0), 1000);
    hd_name_table_free(&table);
}

static void test_identity(void)
{
    struct hd_trace *t = std_trace("b|w(x)|1\nb|fork(a)|2\na|w(x)|3\na|fork(c)|4\nd|r(y)|5\nb|r(x)|6\n", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT(!t->has_values && t->complete && !t->truncated);
    CU_ASSERT_STRING_EQUAL(t->test, "t");
    CU_ASSERT_EQUAL_FATAL(t->threads, 4);
    const char *const paths[] = {"0", "0.1", "0.1.1", "0.2"}, *const names[] = {"b", "a", "c", "d"};
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_STRING_EQUAL(t->thread[i].path, paths[i]);
        CU_ASSERT_STRING_EQUAL(t->thread[i].name, names[i]);
    }
    CU_ASSERT_EQUAL_FATAL(t->events, 6);
    CU_ASSERT_EQUAL(t->event[4].address - t->event[0].address, 8);
    CU_ASSERT_EQUAL(t->event[2].address, t->event[0].address);
    /* The accesses before and after the fork, b's first synchronization event, differ in k. */
    CU_ASSERT(t->event[0].n == 0 && t->event[0].k == 0 && t->event[5].n == 0 && t->event[5].k == 1);
    CU_ASSERT_EQUAL(t->site[t->event[5].site].offset, 6);
    hd_trace_free(t);
}

static void test_wait(void)
{
    struct hd_trace *t = std_trace("a|acq(L)|1\na|rel(L)|2\nb|acq(L)|3\nb|sig(S)|4\nb|rel(L)|5\na|r(x)|9\na|wake(S)|6\n"
                                   "a|acq(L)|7\na|rel(L)|8\n", NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(t->event[1].kind, HD_COND_WAIT);
    CU_ASSERT_EQUAL(t->event[1].value, t->event[0].object + 1);
    CU_ASSERT_EQUAL(t->event[3].kind, HD_SIGNAL);
    CU_ASSERT_EQUAL(t->event[6].kind, HD_COND_WAKE);
    CU_ASSERT_EQUAL(t->event[6].object, t->event[1].object);
    CU_ASSERT_EQUAL(t->event[6].value, 1);
    CU_ASSERT_EQUAL(t->event[8].kind, HD_UNLOCK);
    hd_trace_free(t);
}

/* A signal wakes one thread; the second one's wake has none. */
static void test_one_signal_two_wakes(void)
{
    const char *text = "a|acq(L)|1\na|rel(L)|1\nb|acq(L)|1\nb|rel(L)|1\nc|sig(S)|1\na|wake(S)|1\nb|wake(S)|1\n";
    struct hd_repairs repairs = {0};
    CU_ASSERT_PTR_NULL(std_trace(text, NULL));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "line 7"));
    struct hd_trace *t = std_trace(text, &repairs);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(repairs.count[HD_FAULT_SIGNAL], 1);
    CU_ASSERT(t->event[5].value == 1 && t->event[6].value == 0);
    hd_trace_free(t);
}

/* Re-entrant acquires are kept; a lock taken from a holder is released as often as it was acquired. */
static void test_reentrant(void)
{
    struct hd_repairs repairs = {0};
    struct hd_trace *t = std_trace("a|acq(L)|1\na|acq(L)|2\nb|acq(L)|3\na|rel(L)|4\na|rel(L)|5\nb|rel(L)|6\n", &repairs);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    const uint8_t kinds[] = {HD_LOCK, HD_LOCK, HD_UNLOCK, HD_UNLOCK, HD_LOCK, HD_UNLOCK};
    CU_ASSERT_EQUAL_FATAL(t->events, sizeof kinds);
    for (size_t i = 0; i < sizeof kinds; i++)
        CU_ASSERT_EQUAL(t->event[i].kind, kinds[i]);
    CU_ASSERT_EQUAL(repairs.count[HD_FAULT_HELD], 1);
    CU_ASSERT_EQUAL(repairs.count[HD_FAULT_NOT_HELD], 2);
    hd_trace_free(t);
}

/* Names of threads created one by the other grow, but not with the square of their number. */
static void test_deep_creation(void)
{
    char *text = NULL;
    size_t size, longest = 0;
    FILE *stream = open_memstream(&text, &size);
    for (unsigned i = 0; i < 20000; i++)
        fprintf(stream, "T%u|fork(T%u)|1\n", i, i + 1);
    fclose(stream);
    struct hd_trace *t = std_trace(text, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    for (size_t i = 0; i < t->threads; i++)
        longest = strlen(t->thread[i].path) > longest ? strlen(t->thread[i].path) : longest;
    CU_ASSERT_EQUAL(t->threads, 20001);
    CU_ASSERT(longest < 500);
    hd_trace_free(t);
    free(text);
}

/* Counts in the header of SPD data are not believed. */
static void test_absurd_counts(void)
{
    uint8_t bytes[26];
    memset(bytes, 0x7F, 18);
    memset(bytes + 18, 0, 8);
    CU_ASSERT(!hd_spd_recognise(bytes, sizeof bytes));
    CU_ASSERT_PTR_NULL(hd_spd_parse(bytes, sizeof bytes, "x.data", NULL, error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "event 1: the file ends here"));
    struct hd_repairs repairs = {0};
    struct hd_trace *t = hd_spd_parse(bytes, sizeof bytes, "x.data", &repairs, error, sizeof error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(t->events, 1);
    hd_trace_free(t);
}

static void test_told_apart(void)
{
    static const struct { const char *text, *name, *why; } wrong[] = {
        {"", "x.std", "empty"},
        {"hello\n", "x", "not a heddle trace"},
        {"hello\n", "x.std", "line 1"},
        {"hello\n", "x.data", "shorter than its header"},
        {"hello\n", "x.trace", "not a heddle trace"},
        {"\x1f\x8b\x08", "x.std", "gunzip"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error[0] = 0;
        CU_ASSERT_PTR_NULL(hd_trace_open_bytes((const uint8_t *)wrong[i].text, strlen(wrong[i].text), wrong[i].name,
                                               NULL, error, sizeof error));
        CU_ASSERT_PTR_NOT_NULL(strstr(error, wrong[i].why));
    }
    CU_ASSERT_PTR_NULL(hd_trace_open("/nonexistent.std", error, sizeof error));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "/nonexistent.std"));
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("import", NULL, NULL);
    CU_ADD_TEST(suite, test_names);
    CU_ADD_TEST(suite, test_identity);
    CU_ADD_TEST(suite, test_wait);
    CU_ADD_TEST(suite, test_one_signal_two_wakes);
    CU_ADD_TEST(suite, test_reentrant);
    CU_ADD_TEST(suite, test_deep_creation);
    CU_ADD_TEST(suite, test_absurd_counts);
    CU_ADD_TEST(suite, test_told_apart);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures ? 1 : 0;
}
