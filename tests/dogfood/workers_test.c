/* SPDX-License-Identifier: Apache-2.0
 * The analyzer's workers, checked by heddle itself: whatever the threads do in between, each
 * unit is done once, results are merged in the order of the units, and an interrupt leaves a
 * beginning of them. The analysis of a small trace is the same for one, two and three workers. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>
#include <heddle/cunit.h>

#include "analyze/run.h"
#include "proto/std_text.h"

/* Two updates that lock each their own half of it, and a pair of locks taken both ways. */
static const char trace_text[] = "m|fork(a)|1\nm|fork(b)|2\n"
                                 "a|acq(L)|3\na|r(x)|4\na|rel(L)|5\na|acq(L)|6\na|w(x)|7\na|rel(L)|8\n"
                                 "b|acq(L)|3\nb|r(x)|4\nb|rel(L)|5\nb|acq(L)|6\nb|w(x)|7\nb|rel(L)|8\n"
                                 "a|acq(L)|9\na|acq(K)|10\na|rel(K)|11\na|rel(L)|12\n"
                                 "b|acq(K)|13\nb|acq(L)|14\nb|rel(L)|15\nb|rel(K)|16\n"
                                 "m|join(a)|17\nm|join(b)|18\n";

enum { UNITS = 3, NEVER = UNITS, BEFORE };

static struct hd_trace *trace;
static struct hd_index *shared_index;

static volatile sig_atomic_t stop;
static unsigned interrupted_unit, ran[UNITS], merged[UNITS + 1], merges, told;

static void interrupt(int signal)
{
    (void)signal;
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------ units of the test's own */

static size_t units(const struct hd_index *index)
{
    (void)index;
    if (interrupted_unit == BEFORE)
        raise(SIGUSR1);
    return UNITS;
}

static void unit(struct hd_worker *w, size_t i)
{
    struct hd_candidate c = {.kind = "race", .pattern = "", .requests = 1, .request = (uint32_t[]){(uint32_t)i}};
    ran[i]++;
    hd_worker_reject_many(w, (uint64_t)10 << i);
    hd_worker_accept(w, &c, "given");
    if (i == interrupted_unit)
        raise(SIGUSR1);
}

static void merge(struct hd_run *run, struct hd_result *r)
{
    (void)run;
    CU_ASSERT_FATAL(merges < UNITS);
    CU_ASSERT(r->done || run->options->jobs == 1);
    CU_ASSERT_EQUAL(r->impossible, (uint64_t)10 << merges);
    CU_ASSERT_EQUAL(r->candidates, r->impossible + r->feasible);
    CU_ASSERT_EQUAL_FATAL(r->founds, 1);
    merged[merges] = r->found[0].candidate.request[0];
    merges++;
}

static void progress(const char *kind, size_t done, size_t all)
{
    CU_ASSERT_STRING_EQUAL(kind, "units");
    CU_ASSERT_EQUAL(done, ++told);
    CU_ASSERT_EQUAL(all, UNITS);
}

static void run_units(unsigned jobs, unsigned interrupted)
{
    static const struct hd_kind_of_finding kind = {.bit = 1, .name = "units", .units = units, .unit = unit};
    struct hd_analyze_options options = {.jobs = jobs, .stop = &stop, .progress = progress};
    struct hd_run run = {.trace = trace, .index = shared_index, .options = &options};
    memset(ran, 0, sizeof ran);
    merges = told = 0;
    stop = 0;
    interrupted_unit = interrupted;
    hd_workers_run(&run, &kind, merge);
    CU_ASSERT_EQUAL(told, merges);
    for (unsigned i = 0; i < UNITS; i++) {
        CU_ASSERT_EQUAL(ran[i], i < merges);
        CU_ASSERT(i >= merges || merged[i] == i);
    }
}

static void test_two_workers(void)
{
    run_units(2, NEVER);
    CU_ASSERT_EQUAL(merges, UNITS);
}

static void test_three_workers(void)
{
    run_units(3, NEVER);
    CU_ASSERT_EQUAL(merges, UNITS);
}

/* No worker takes a unit, and none is waited for. */
static void test_interrupted_before(void)
{
    run_units(2, BEFORE);
    CU_ASSERT_EQUAL(merges, 0);
}

/* What was begun is finished and merged; where both are at work, that may be one unit more. */
static void test_interrupted(void)
{
    run_units(2, 0);
    CU_ASSERT(merges >= 1);
}

static void test_interrupted_late(void)
{
    run_units(2, UNITS - 1);
    CU_ASSERT_EQUAL(merges, UNITS);
}

/* ------------------------------------------------ a whole analysis */

struct outcome {
    char *account;
    size_t size, findings;
    bool adds_up, interrupted;
};

static struct outcome analysis(unsigned jobs)
{
    struct outcome o = {0};
    struct hd_analyze_options options = {.kinds = HD_KINDS_NONDET | HD_KINDS_DEADLOCK, .jobs = jobs, .stop = &stop,
                                         .account = open_memstream(&o.account, &o.size)};
    struct hd_symbols *symbols = hd_symbols_new(trace);
    struct hd_analysis *a = hd_analyze(trace, symbols, &options);
    fclose(options.account);
    o.adds_up = a->candidates && a->candidates == a->impossible + a->open + a->feasible;
    o.interrupted = a->interrupted;
    o.findings = a->witnesses;
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    return o;
}

static struct outcome alone;

static void test_same_analysis(void)
{
    stop = 0;
    struct outcome o = analysis(2);
    CU_ASSERT(o.adds_up && !o.interrupted);
    CU_ASSERT_STRING_EQUAL(o.account, alone.account);
    CU_ASSERT_EQUAL(o.findings, alone.findings);
    free(o.account);
}

static int prepare(void)
{
    char error[256];
    trace = hd_std_parse((const uint8_t *)trace_text, sizeof trace_text - 1, "small.std", NULL, error, sizeof error);
    if (!trace) {
        fprintf(stderr, "%s\n", error);
        return -1;
    }
    shared_index = hd_index_new(trace, false, false);
    alone = analysis(1);
    return alone.adds_up && alone.findings && strstr(alone.account, "witness") && strstr(alone.account, "impossible")
               ? 0
               : -1;
}

static int clean(void)
{
    free(alone.account);
    hd_index_free(shared_index);
    hd_trace_free(trace);
    return 0;
}

/* workers_test [TEST] */
int main(int argc, char **argv)
{
    static const CU_TestInfo tests[] = {{"two_workers", test_two_workers},
                                        {"three_workers", test_three_workers},
                                        {"interrupted_before", test_interrupted_before},
                                        {"interrupted", test_interrupted},
                                        {"interrupted_late", test_interrupted_late},
                                        {"same_analysis", test_same_analysis},
                                        CU_TEST_INFO_NULL};
    signal(SIGUSR1, interrupt);
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    CU_pSuite suite = CU_add_suite("workers", prepare, clean);
    for (const CU_TestInfo *t = tests; t->pName; t++)
        if (argc < 2 || strcmp(argv[1], t->pName) == 0)
            CU_add_test(suite, t->pName, t->pTestFunc);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    bool failed = CU_get_number_of_failures() || CU_get_number_of_suites_failed() || !CU_get_number_of_tests_run();
    CU_cleanup_registry();
    return failed;
}
