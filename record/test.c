/* SPDX-License-Identifier: Apache-2.0
 * Where a test begins and ends. A program that marks no test is one: main to exit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/expected.h"
#include "record/framework.h"
#include "record/process.h"
#include "record/runtime.h"
#include "record/user_lock.h"

static struct hd_thread *test_thread;

static bool is_chosen(const char *suite, const char *test)
{
    const struct hd_shared *s = hd_run.shared;
    size_t length = strlen(suite);
    return s->mode != HD_MODE_REPLAY ||
           (strncmp(s->test, suite, length) == 0 && s->test[length] == '\n' && strcmp(s->test + length + 1, test) == 0);
}

static void note_main_stack(struct hd_thread *t)
{
    extern void *__libc_stack_end;
    struct hd_record *r = hd_ring_append(t, HD_RING_THREAD_STACK);
    r->addr_k = ((uint64_t)(uintptr_t)__libc_stack_end - (8u << 20)) & HD_48;
    r->value = (8u << 20) + (1u << 20);
    hd_ring_publish();
}

bool hd_test_begin(const char *suite, const char *test)
{
    if (!hd_run.shared || hd_run.recording)
        return true;
    if (!is_chosen(suite, test))
        return false;
    hd_process_enter();
    hd_ring_text(NULL, HD_RING_TEST_BEGIN, 0, 0, suite, test);
    hd_ring_modules();
    hd_stack_reset();
    hd_access_reset();
    hd_objects_reset();
    hd_user_reset();
    hd_threads_reset();
    hd_clock_reset();
    hd_baton_reset();
    hd_watchdog_start();
    hd_run.recording = true;
    hd_run.shared->failures = 0;
    atomic_store(&hd_run.shared->state, HD_STATE_RUNNING);
    struct hd_thread *t = hd_thread_new(NULL);
    t->state = HD_RUNNING;
    t->plan = 0;
    hd_thread_here(t);
    hd_run.holder = t;
    note_main_stack(t);
    test_thread = t;
    hd_run.policy->begin();
    hd_run.silent = hd_run.policy->silent && hd_run.policy->silent();
    struct hd_point start = { .kind = HD_START };
    hd_sync_begin(t, &start);
    hd_sync_made(t, &start, 0);
    hd_declared_begin(t);
    hd_expected_begin(t);
    hd_self = t;
    return true;
}

/* Other threads run until they block or end, still recorded; after the end they run free. */
static void test_over(struct hd_thread *t, bool passed)
{
    hd_drain(t);
    hd_say_unknown(t);
    struct hd_point end = { .kind = HD_END };
    hd_sync_begin(t, &end);
    hd_sync_made(t, &end, 0);
    struct hd_record *r = hd_ring_append(t, HD_RING_TEST_END);
    r->value = passed && hd_run.shared->failures == 0;
    hd_ring_publish();
    hd_self = NULL;
    hd_run.holder = NULL;
    hd_run.recording = false;
    atomic_store(&hd_run.shared->state, HD_STATE_TEST_DONE);
    hd_process_leave();
    hd_ring_bell();
    hd_release_others(t);
}

struct hd_thread *hd_test_thread(void) { return test_thread; }

void hd_test_end(bool passed)
{
    if (hd_run.recording && hd_self && hd_self == test_thread)
        test_over(test_thread, passed);
}

HD_EXPORT __attribute__((noinline)) void heddle_failure(const char *file, unsigned line, const char *text);
HD_EXPORT __attribute__((noinline)) void heddle_failure(const char *file, unsigned line, const char *text)
{
    __asm__ volatile("" ::"r"(file), "r"(line), "r"(text));
}

void hd_test_assertion(const char *file, unsigned line, const char *text, bool held, uint64_t pc)
{
    struct hd_thread *t = hd_self;
    if (!t)
        return;
    hd_access_mark(t, HD_ASSERT, 0, held, pc);
    hd_ring_text(t, HD_RING_NOTE, !held, line, file, text);
    if (held)
        return;
    hd_run.shared->failures++;
    heddle_failure(file, line, text);
}

HD_EXPORT void heddle_framework(const char *name);
HD_EXPORT void heddle_framework(const char *name)
{
    (void)name;
    hd_run.framework = true;
}

HD_EXPORT int heddle_test_begin(const char *suite, const char *test);
HD_EXPORT int heddle_test_begin(const char *suite, const char *test) { return hd_test_begin(suite, test); }
HD_EXPORT void heddle_test_end(int passed);
HD_EXPORT void heddle_test_end(int passed) { hd_test_end(passed); }

static int (*user_main)(int, char **, char **);

static int main_as_test(int argc, char **argv, char **envp)
{
    if (hd_run.shared && !hd_run.framework)
        hd_test_begin("", "main");
    int status = user_main(argc, argv, envp);
    hd_test_end(status == 0);
    return status;
}

typedef int start_fn(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

HD_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                                void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
HD_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                                void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_fn *real = (start_fn *)hd_real("__libc_start_main");
    user_main = main;
    return real(main_as_test, argc, argv, init, fini, rtld_fini, stack_end);
}

HD_EXPORT void exit(int status)
{
    void (*real)(int) = (void (*)(int))hd_real("exit");
    hd_assertion_left(true); /* cmocka's way out of another thread than the test's */
    if (hd_self && hd_run.recording && !hd_run.framework)
        test_over(hd_self, status == 0);
    else if (hd_self && hd_run.recording) {
        hd_access_interval(hd_self);
        hd_quiet(); /* the test ends with its process, whose framework cleans up */
    }
    real(status);
    abort();
}

static void last_words(void)
{
    hd_assertion_left(false);
    if (!hd_self)
        return;
    hd_say_unknown(hd_self);
    hd_access_interval(hd_self);
}

HD_EXPORT void abort(void)
{
    void (*real)(void) = (void (*)(void))hd_real("abort");
    last_words();
    real();
    __builtin_trap();
}

HD_EXPORT void _exit(int status)
{
    void (*real)(int) = (void (*)(int))hd_real("_exit");
    last_words();
    real(status);
    __builtin_trap();
}

HD_EXPORT void _Exit(int status) { _exit(status); }

typedef void assert_fn(const char *, const char *, unsigned, const char *);

HD_EXPORT void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    assert_fn *real = (assert_fn *)hd_real("__assert_fail");
    hd_test_assertion(file, line, text, false, HD_CALLER);
    real(text, file, line, function);
    abort();
}
