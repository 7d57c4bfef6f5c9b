/* SPDX-License-Identifier: Apache-2.0 */
#include "record/framework.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/user_memory.h"

static struct {
    pid_t process;
    unsigned failures; /* of assertions in threads other than the test's */
} elsewhere;

static __thread struct hd_thread *quiet; /* hd_self, while it is NULL */
static __thread struct {
    bool on;
    const char *file, *text;
    unsigned line;
    uint64_t pc;
} assertion;
static __thread struct {
    char words[HD_TEXT_MAX / 4], file[HD_TEXT_MAX / 4];
    unsigned line;
} said;

void hd_quiet(void)
{
    if (!hd_self)
        return;
    quiet = hd_self;
    quiet->quiet = true;
    hd_self = NULL;
}

void hd_loud(void)
{
    if (!quiet)
        return;
    quiet->quiet = false;
    hd_self = quiet;
    quiet = NULL;
}

struct hd_thread *hd_quiet_thread(void) { return quiet; }

HD_EXPORT void heddle_quiet(void);
HD_EXPORT void heddle_quiet(void) { hd_quiet(); }
HD_EXPORT void heddle_loud(void);
HD_EXPORT void heddle_loud(void) { hd_loud(); }

static __thread uintptr_t framework_frame; /* that called the user's function */

HD_EXPORT void heddle_loud_from(void *frame);
HD_EXPORT void heddle_loud_from(void *frame)
{
    framework_frame = (uintptr_t)frame;
    hd_loud();
}

void hd_framework_left(uintptr_t stack_pointer)
{
    if (!framework_frame || stack_pointer <= framework_frame)
        return;
    framework_frame = 0;
    hd_quiet();
}

void hd_assertion_begin(const char *file, unsigned line, const char *text, uint64_t pc)
{
    if (!hd_self)
        return;
    assertion.on = true;
    assertion.file = file;
    assertion.line = line;
    assertion.text = text;
    assertion.pc = pc;
    memset(&said, 0, sizeof said);
    hd_quiet();
}

HD_EXPORT void heddle_assertion(const char *file, unsigned line, const char *text);
HD_EXPORT void heddle_assertion(const char *file, unsigned line, const char *text)
{
    hd_assertion_begin(file, line, text, HD_CALLER);
}

void hd_assertion_hold(void)
{
    if (!assertion.on)
        return;
    assertion.on = false;
    hd_loud();
    hd_test_assertion(assertion.file, assertion.line, assertion.text, true, assertion.pc);
}

HD_EXPORT void heddle_assertion_held(void);
HD_EXPORT void heddle_assertion_held(void) { hd_assertion_hold(); }

/* What the framework compares, read here on the user's behalf: it does so quietly. */
HD_EXPORT void heddle_compared(const void *a, const void *b, size_t size, int string, const void *caller);
HD_EXPORT void heddle_compared(const void *a, const void *b, size_t size, int string, const void *caller)
{
    if (hd_self && a && b)
        hd_user_compare(hd_self, a, b, size, string ? HD_STRING : HD_BYTES,
                        caller ? (uint64_t)(uintptr_t)caller : HD_CALLER);
}

void hd_assertion_said(const char *words)
{
    if (!said.words[0])
        snprintf(said.words, sizeof said.words, "%s", words);
}

void hd_failure_at(const char *file, unsigned line)
{
    snprintf(said.file, sizeof said.file, "%s", file);
    said.line = line;
}

void hd_failure_forget(void) { memset(&said, 0, sizeof said); }

void hd_failure_without_assertion(const char *text)
{
    hd_loud();
    hd_test_assertion(said.file, said.line, said.words[0] ? said.words : text, false, 0);
    memset(&said, 0, sizeof said);
}

bool hd_failure_unseen(void)
{
    bool unseen = elsewhere.process == getpid() && elsewhere.failures;
    elsewhere.failures = 0;
    return unseen;
}

bool hd_assertion_left(bool jumps)
{
    char text[HD_TEXT_MAX / 2];
    if (!assertion.on)
        return false;
    assertion.on = false;
    elsewhere.failures = elsewhere.process == getpid() ? elsewhere.failures : 0;
    bool worker = jumps && quiet != hd_test_thread();
    snprintf(text, sizeof text, "%s%s%s%s", assertion.text, said.words[0] ? ": " : "", said.words,
             worker ? " (fatal outside the test's thread: ends thread)" : "");
    hd_loud();
    hd_test_assertion(assertion.file, assertion.line, text, false, assertion.pc);
    if (!worker)
        return true;
    elsewhere.process = getpid();
    elsewhere.failures++;
    pthread_exit(NULL);
}
