/* SPDX-License-Identifier: Apache-2.0
 * Criterion, behind <heddle/criterion.h>. Each test is a new process of the same
 * program, whose framework talks to the first one by a thread of its own. The
 * parameters of a parameterized test come one process after the other, in the
 * same order every time: they are told apart by their number. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "record/framework.h"
#include "record/runtime.h"

/* Which turn of the test is this? Counted for all processes. */
static unsigned turn_of(const char *suite, const char *test)
{
    struct hd_shared *s = hd_run.shared;
    uint64_t hash = 14695981039346656037ull;
    for (const char *p = suite; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 1099511628211ull;
    for (const char *p = test; *p; p++)
        hash = (hash ^ (uint8_t)*p ^ 0x100) * 1099511628211ull;
    for (unsigned i = 0; i < HD_AGAIN_MAX; i++) {
        __typeof__(s->again[0]) *slot = &s->again[(hash + i) % HD_AGAIN_MAX];
        if (slot->begun && slot->test != hash)
            continue;
        slot->test = hash;
        return ++slot->begun;
    }
    return 0;
}

HD_EXPORT int heddle_criterion_begin(const char *suite, const char *test, int parameters, int signal, int status);
HD_EXPORT int heddle_criterion_begin(const char *suite, const char *test, int parameters, int signal, int status)
{
    char name[HD_NAME_MAX / 2];
    if (!hd_run.shared)
        return 1;
    if (parameters)
        snprintf(name, sizeof name, "%s:%u", test, turn_of(suite, test));
    else
        snprintf(name, sizeof name, "%s", test);
    hd_accept_threads();
    if (!hd_test_begin(suite, name))
        return 0;
    if (signal || status)
        hd_run.shared->expected_status = signal ? W_EXITCODE(0, signal) : W_EXITCODE(status & 0xFF, 0);
    return 1;
}

/* "The expression WORDS is false." is WORDS. */
static const char *shorten(const char *message, char *text, size_t size)
{
    static const char head[] = "The expression ", tail[] = " is false.";
    size_t length = strlen(message), around = sizeof head + sizeof tail - 2;
    if (length > around && strncmp(message, head, sizeof head - 1) == 0 &&
        strcmp(message + length - (sizeof tail - 1), tail) == 0)
        snprintf(text, size, "%.*s", (int)(length - around), message + sizeof head - 1);
    else
        snprintf(text, size, "%s", message);
    return text;
}

/* What held, where Criterion has words for the contrary only. */
static void negate(char *text, size_t size)
{
    static const char *const pair[][2] = { { " is not null.", " is null" }, { " is null.", " is not null" },
                                           { " is not empty.", " is empty" }, { " is empty.", " is not empty" } };
    static const char strings[] = "The expression (as strings) ";
    char *end = strstr(text, " is false: actual=");
    if (end && strncmp(text, strings, sizeof strings - 1) == 0) {
        *end = 0;
        memmove(text, text + sizeof strings - 1, strlen(text + sizeof strings - 1) + 1);
        return;
    }
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        size_t length = strlen(text), tail = strlen(pair[i][0]);
        if (length < tail || strcmp(text + length - tail, pair[i][0]) != 0)
            continue;
        snprintf(text + length - tail, size - (length - tail), "%s", pair[i][1]);
        return;
    }
}

/* Quiet on both sides; the assertion is noted when it is left, or by heddle_criterion_over(). */
static void begin(const char *file, unsigned line, const char *message, bool holds, uint64_t pc)
{
    static __thread char text[HD_TEXT_MAX / 2];
    hd_quiet();
    shorten(message ? message : "", text, sizeof text);
    if (holds)
        negate(text, sizeof text);
    hd_loud();
    hd_assertion_begin(file, line, text, pc);
}

HD_EXPORT void heddle_criterion_failing(const char *file, unsigned line, const char *message);
HD_EXPORT void heddle_criterion_failing(const char *file, unsigned line, const char *message)
{
    begin(file, line, message, false, HD_CALLER);
}

HD_EXPORT void heddle_criterion_held(const char *file, unsigned line, const char *message);
HD_EXPORT void heddle_criterion_held(const char *file, unsigned line, const char *message)
{
    begin(file, line, message, true, HD_CALLER);
    hd_assertion_hold();
}

/* It failed, and the test goes on. */
HD_EXPORT void heddle_criterion_over(void);
HD_EXPORT void heddle_criterion_over(void) { hd_assertion_left(false); }

/* An assertion of the new kind says first what it is; it failed if Criterion is told so meanwhile. */
static __thread struct { const char *file, *text; unsigned line; uint64_t pc; bool on, failed; } announced;

HD_EXPORT void heddle_criterion_announce(const char *file, unsigned line, const char *text);
HD_EXPORT void heddle_criterion_announce(const char *file, unsigned line, const char *text)
{
    announced.file = file;
    announced.line = line;
    announced.text = text;
    announced.pc = HD_CALLER;
    announced.on = true;
    announced.failed = false;
}

HD_EXPORT void heddle_criterion_sends(void);
HD_EXPORT void heddle_criterion_sends(void)
{
    if (!announced.on)
        return;
    announced.failed = true;
    begin(announced.file, announced.line, announced.text, false, announced.pc);
}

HD_EXPORT void heddle_criterion_announced(void);
HD_EXPORT void heddle_criterion_announced(void)
{
    announced.on = false;
    if (announced.failed) {
        hd_assertion_left(false);
        return;
    }
    begin(announced.file, announced.line, announced.text, true, announced.pc);
    hd_assertion_hold();
}
