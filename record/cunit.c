/* SPDX-License-Identifier: Apache-2.0
 * CUnit. A test is what runs between CUnit's start handler and its completion
 * handler: set-up, test function and tear-down, also where a fatal assertion
 * longjmps. The runners set handlers of their own, so the setters are interposed:
 * ours stay in place and call theirs.
 *
 * CUnit's own state is not the user's: nothing that happens in it is recorded. */
#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>

#include "record/runtime.h"

typedef CU_BOOL assert_fn(CU_BOOL, unsigned, const char *, const char *, const char *, CU_BOOL);
typedef CU_pTest add_fn(CU_pSuite, const char *, CU_TestFunc);

static struct {
    bool known;
    add_fn *add;
    assert_fn *assertion;
    CU_pTest (*current)(void);
    void (*set_start)(CU_TestStartMessageHandler);
    void (*set_complete)(CU_TestCompleteMessageHandler);
    CU_TestStartMessageHandler (*get_start)(void);
    CU_TestCompleteMessageHandler (*get_complete)(void);
} real;

static CU_TestStartMessageHandler user_start;
static CU_TestCompleteMessageHandler user_complete;
static bool attached;
static pthread_t runner;

static void resolve(void)
{
    if (real.known)
        return;
    real.add = (add_fn *)hd_real("CU_add_test");
    real.assertion = (assert_fn *)hd_real("CU_assertImplementation");
    real.current = (CU_pTest(*)(void))hd_real("CU_get_current_test");
    real.set_start = (void (*)(CU_TestStartMessageHandler))hd_real("CU_set_test_start_handler");
    real.set_complete = (void (*)(CU_TestCompleteMessageHandler))hd_real("CU_set_test_complete_handler");
    real.get_start = (CU_TestStartMessageHandler(*)(void))hd_real("CU_get_test_start_handler");
    real.get_complete = (CU_TestCompleteMessageHandler(*)(void))hd_real("CU_get_test_complete_handler");
    real.known = true;
}

/* A replay runs one test: the others keep their place in CUnit's count, with empty functions. */
static struct { CU_TestFunc test; CU_SetUpFunc setup; CU_TearDownFunc teardown; bool now; } skipped;

static void nothing(void) { }

static void skip(CU_pTest test, CU_pSuite suite)
{
    skipped.now = true;
    skipped.test = test->pTestFunc;
    skipped.setup = suite->pSetUpFunc;
    skipped.teardown = suite->pTearDownFunc;
    test->pTestFunc = nothing;
    suite->pSetUpFunc = NULL;
    suite->pTearDownFunc = NULL;
}

static void unskip(CU_pTest test, CU_pSuite suite)
{
    if (!skipped.now)
        return;
    skipped.now = false;
    test->pTestFunc = skipped.test;
    suite->pSetUpFunc = skipped.setup;
    suite->pTearDownFunc = skipped.teardown;
}

static void test_start(const CU_pTest test, const CU_pSuite suite)
{
    if (user_start)
        user_start(test, suite);
    if (!test->fActive)
        return;
    runner = pthread_self();
    if (!hd_test_begin(suite->pName, test->pName))
        skip(test, suite);
}

static void test_complete(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure)
{
    hd_test_end(failure == NULL);
    unskip(test, suite);
    if (user_complete)
        user_complete(test, suite, failure);
}

static bool attach(void)
{
    resolve();
    if (!attached && hd_run.shared && hd_run.framework) {
        user_start = real.get_start();
        user_complete = real.get_complete();
        real.set_start(test_start);
        real.set_complete(test_complete);
        attached = true;
    }
    return attached;
}

HD_EXPORT CU_pTest CU_add_test(CU_pSuite suite, const char *name, CU_TestFunc function)
{
    attach();
    return real.add(suite, name, function);
}

HD_EXPORT void CU_set_test_start_handler(CU_TestStartMessageHandler handler)
{
    if (attach())
        user_start = handler;
    else
        real.set_start(handler);
}

HD_EXPORT void CU_set_test_complete_handler(CU_TestCompleteMessageHandler handler)
{
    if (attach())
        user_complete = handler;
    else
        real.set_complete(handler);
}

HD_EXPORT CU_TestStartMessageHandler CU_get_test_start_handler(void)
{
    return attach() ? user_start : real.get_start();
}

HD_EXPORT CU_TestCompleteMessageHandler CU_get_test_complete_handler(void)
{
    return attach() ? user_complete : real.get_complete();
}

static CU_BOOL assert_alone(CU_BOOL value, unsigned line, const char *text, const char *file, const char *function)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&busy))
        sched_yield();
    CU_BOOL result = real.assertion(value, line, text, file, function, CU_FALSE);
    atomic_flag_clear(&busy);
    return result;
}

static void note(const char *file, unsigned line, const char *text, bool held, bool ends_thread, uint64_t pc)
{
    char longer[HD_TEXT_MAX / 2];
    if (!held && ends_thread) {
        snprintf(longer, sizeof longer, "%s (fatal outside the test's thread: ends thread)", text);
        text = longer;
    }
    hd_test_assertion(file, line, text, held, pc);
}

/* A fatal assertion in a worker would longjmp into another thread's stack: it ends the worker. */
HD_EXPORT CU_BOOL CU_assertImplementation(CU_BOOL value, unsigned line, const char *text, const char *file,
                                          const char *function, CU_BOOL fatal)
{
    if (!attach())
        return real.assertion(value, line, text, file, function, fatal);
    struct hd_thread *t = hd_self;
    bool worker = !pthread_equal(pthread_self(), runner);
    note(file, line, text, value, fatal && worker, HD_CALLER);
    hd_self = NULL;
    CU_BOOL result = assert_alone(value, line, text, file, function);
    hd_self = t;
    if (value || !fatal)
        return result;
    if (worker)
        pthread_exit(NULL);
    CU_pTest test = real.current();
    if (test && test->pJumpBuf)
        longjmp(*test->pJumpBuf, 1);
    return result;
}
