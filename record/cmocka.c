/* SPDX-License-Identifier: Apache-2.0
 * cmocka, behind <heddle/cmocka.h>. Its tests are functions of int (void **) and
 * void (void **), given in an array; the header passes a copy whose functions
 * are closures (part.h). cmocka judges once more when the last of them is back,
 * so a case lingers.
 *
 * cm_print_error is interposed to hear what cmocka says of a failure. Mocks and
 * checked parameters fail without one of the header's assertions: their failure
 * is in what cmocka says, too. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "record/framework.h"
#include "record/part.h"
#include "record/user_memory.h"

/* As in cmocka.h. */
struct CMUnitTest { const char *name; void *test, *set_up, *tear_down; void *state; };

static void call_test(void *function, void *result, void **arguments)
{
    (void)result;
    ((void (*)(void **))function)(*(void ***)arguments[0]);
}

static void call_fixture(void *function, void *result, void **arguments)
{
    *(ffi_sarg *)result = ((int (*)(void **))function)(*(void ***)arguments[0]);
}

static struct hd_signature test = { .call = call_test }, fixture = { .call = call_fixture };
static void (*cmocka_fail)(const char *, int);

static bool prepare(void)
{
    static ffi_type *parameter[] = { &ffi_type_pointer };
    return ffi_prep_cif(&test.cif, FFI_DEFAULT_ABI, 1, &ffi_type_void, parameter) == FFI_OK &&
           ffi_prep_cif(&fixture.cif, FFI_DEFAULT_ABI, 1, &ffi_type_sint, parameter) == FFI_OK;
}

static void tell_cmocka(void) { cmocka_fail("an assertion failed in another thread", 0); }

HD_EXPORT void heddle_cmocka_tests(const char *group, struct CMUnitTest *tests, size_t count,
                                   void (*fail)(const char *, int));
HD_EXPORT void heddle_cmocka_tests(const char *group, struct CMUnitTest *tests, size_t count,
                                   void (*fail)(const char *, int))
{
    if (!hd_run.shared || !prepare())
        return;
    cmocka_fail = fail;
    for (size_t i = 0; i < count; i++) {
        struct CMUnitTest *t = &tests[i];
        if (!t->test)
            continue;
        struct hd_case *c = hd_arena(sizeof *c);
        snprintf(c->suite, sizeof c->suite, "%s", group && *group ? group : "tests");
        snprintf(c->name, sizeof c->name, "%s", t->name);
        c->set_ups = t->set_up != NULL;
        c->tear_downs = t->tear_down != NULL;
        c->lingers = true;
        c->expected_status = -1;
        c->unseen = tell_cmocka;
        t->test = hd_part_closure(c, HD_PART_TEST, &test, t->test);
        t->set_up = hd_part_closure(c, HD_PART_SET_UP, &fixture, t->set_up);
        t->tear_down = hd_part_closure(c, HD_PART_TEAR_DOWN, &fixture, t->tear_down);
    }
}

HD_EXPORT void heddle_cmocka_over(void);
HD_EXPORT void heddle_cmocka_over(void) { hd_case_over(); }
HD_EXPORT void heddle_cmocka_skip(void);
HD_EXPORT void heddle_cmocka_skip(void) { hd_case_skipped(); }

static unsigned number(const char *digit)
{
    unsigned n = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        n = 10 * n + (unsigned)(*digit - '0');
    return n;
}

/* "[ ... ] --- WORDS" without the decoration. */
static void hear(char *text)
{
    char *words = strstr(text, "--- "), *end;
    words = words ? words + 4 : text;
    if ((end = strchr(words, '\n')) != NULL)
        *end = 0;
    char *colon = strstr(words, ": error: Failure!");
    while (colon > words && *--colon != ':')
        ;
    if (colon) {
        *colon = 0;
        hd_failure_at(words, number(colon + 1));
    } else
        hd_assertion_said(words);
}

HD_EXPORT void cm_print_error(const char *format, ...);
HD_EXPORT void cm_print_error(const char *format, ...)
{
    static void (*real)(const char *, ...);
    va_list ap;
    if (!real)
        real = (void (*)(const char *, ...))hd_real("cm_print_error");
    bool loud = hd_self;
    hd_quiet();
    va_start(ap, format);
    int length = HD_REAL(vsnprintf)(NULL, 0, format, ap);
    va_end(ap);
    char text[length > 0 ? length + 1 : 1];
    text[0] = 0;
    va_start(ap, format);
    HD_REAL(vsnprintf)(text, sizeof text, format, ap);
    va_end(ap);
    real("%s", text);
    hear(text);
    if (loud)
        hd_loud();
}
