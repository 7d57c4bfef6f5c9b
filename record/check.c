/* SPDX-License-Identifier: Apache-2.0
 * Check, behind <heddle/check.h>. Check is linked into the program, so the
 * header puts closures (part.h) where test functions and fixtures go.
 *
 * A checked fixture belongs to all tests of its test case and is called without
 * saying which is next. Check runs the tests of a test case in order, so the
 * number of those begun says it. In fork mode each begins in another process:
 * the number is in memory that they share. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "record/framework.h"
#include "record/part.h"

struct test { struct test *next; const char *name; int start, end, expected_status; struct tcase *of; };

/* Suites are named things without tests. */
struct tcase {
    struct tcase *next, *suite;
    const void *thing;
    char name[HD_NAME_MAX / 4];
    struct test *first, *last;
    unsigned set_ups, tear_downs, set_ups_done;
    struct { _Atomic unsigned begun; } *shared;
    struct hd_case now;
};

static struct tcase *tcases;

static struct tcase *find(const void *thing)
{
    struct tcase *t = tcases;
    while (t && t->thing != thing)
        t = t->next;
    return t;
}

HD_EXPORT void heddle_check_name(const void *thing, const char *name);
HD_EXPORT void heddle_check_name(const void *thing, const char *name)
{
    if (!hd_run.shared || !thing)
        return;
    struct tcase *t = hd_arena(sizeof *t);
    t->thing = thing;
    snprintf(t->name, sizeof t->name, "%s", name ? name : "");
    t->shared = mmap(NULL, sizeof *t->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t->shared == MAP_FAILED)
        hd_exhausted();
    t->next = tcases; /* the memory of one that was freed may come again: the latest counts */
    tcases = t;
}

HD_EXPORT void heddle_check_in(const void *suite, const void *tcase);
HD_EXPORT void heddle_check_in(const void *suite, const void *tcase)
{
    struct tcase *t = find(tcase);
    if (t)
        t->suite = find(suite);
}

static struct test *nth(const struct tcase *t, unsigned n, int *i)
{
    unsigned all = 0;
    for (const struct test *p = t->first; p; p = p->next)
        all += (unsigned)(p->end - p->start);
    n = all ? n % all : 0;
    for (struct test *p = t->first; p; p = p->next) {
        unsigned count = (unsigned)(p->end - p->start);
        *i = p->start + (int)n;
        if (n < count)
            return p;
        n -= count;
    }
    return NULL;
}

static struct hd_case *name_case(struct tcase *t, const struct test *test, int i)
{
    struct hd_case *c = &t->now;
    snprintf(c->suite, sizeof c->suite, "%s%s%s", t->suite ? t->suite->name : "", t->suite ? "/" : "", t->name);
    if (test->start == 0 && test->end == 1)
        snprintf(c->name, sizeof c->name, "%s", test->name);
    else
        snprintf(c->name, sizeof c->name, "%s:%d", test->name, i);
    c->tear_downs = t->tear_downs;
    c->expected_status = test->expected_status;
    return c;
}

static struct hd_case *resolve_fixture(struct hd_case *c, enum hd_part_kind kind, void **arguments)
{
    struct tcase *t = (struct tcase *)((char *)c - offsetof(struct tcase, now));
    int i;
    (void)arguments;
    bool same = hd_case_now() == c && (kind == HD_PART_TEAR_DOWN || t->set_ups_done < t->set_ups);
    if (kind == HD_PART_SET_UP)
        t->set_ups_done = same ? t->set_ups_done + 1 : 1;
    struct test *test = same ? NULL : nth(t, atomic_fetch_add(&t->shared->begun, 1), &i);
    return test ? name_case(t, test, i) : c;
}

/* The closure of a test knows which it is; the fixture that began it only guessed. */
struct test_case { struct hd_case call; struct test *test; };

static struct hd_case *resolve_test(struct hd_case *call, enum hd_part_kind kind, void **arguments)
{
    const struct test *test = ((struct test_case *)call)->test;
    struct tcase *t = test->of;
    (void)kind;
    if (t->set_ups && hd_case_now() == &t->now)
        return &t->now;
    atomic_fetch_add(&t->shared->begun, 1);
    return name_case(t, test, *(int *)arguments[0]);
}

static void call_test(void *function, void *result, void **arguments)
{
    (void)result;
    ((void (*)(int))function)(*(int *)arguments[0]);
}

static void call_fixture(void *function, void *result, void **arguments)
{
    (void)result;
    (void)arguments;
    ((void (*)(void))function)();
}

static struct hd_signature test_signature = { .call = call_test }, fixture_signature = { .call = call_fixture };

static bool prepare(void)
{
    static ffi_type *parameter[] = { &ffi_type_sint };
    return ffi_prep_cif(&test_signature.cif, FFI_DEFAULT_ABI, 1, &ffi_type_void, parameter) == FFI_OK &&
           ffi_prep_cif(&fixture_signature.cif, FFI_DEFAULT_ABI, 0, &ffi_type_void, NULL) == FFI_OK;
}

typedef void test_fn(int);
typedef void fixture_fn(void);

HD_EXPORT test_fn *heddle_check_test(const void *tcase, const char *name, test_fn *function, int signal, int status,
                                     int start, int end, void (*fail)(void));
HD_EXPORT test_fn *heddle_check_test(const void *tcase, const char *name, test_fn *function, int signal, int status,
                                     int start, int end, void (*fail)(void))
{
    struct tcase *t = hd_run.shared ? find(tcase) : NULL;
    if (!t || !prepare())
        return function;
    struct test *test = hd_arena(sizeof *test);
    *test = (struct test){ .name = name, .start = start, .end = end, .of = t };
    test->expected_status = signal ? W_EXITCODE(0, signal) : status ? W_EXITCODE(status & 0xFF, 0) : -1;
    *(t->last ? &t->last->next : &t->first) = test;
    t->last = test;
    struct test_case *call = hd_arena(sizeof *call);
    *call = (struct test_case){ .call = { .resolve = resolve_test, .unseen = fail }, .test = test };
    t->now.set_up_decides = true;
    return (test_fn *)hd_part_closure(&call->call, HD_PART_TEST, &test_signature, (void *)function);
}

HD_EXPORT fixture_fn *heddle_check_fixture(const void *tcase, fixture_fn *function, int tear_down);
HD_EXPORT fixture_fn *heddle_check_fixture(const void *tcase, fixture_fn *function, int tear_down)
{
    struct tcase *t = hd_run.shared ? find(tcase) : NULL;
    if (!t || !prepare())
        return function;
    t->now.resolve = resolve_fixture;
    ++*(tear_down ? &t->tear_downs : &t->set_ups);
    return (fixture_fn *)hd_part_closure(&t->now, tear_down ? HD_PART_TEAR_DOWN : HD_PART_SET_UP, &fixture_signature,
                                         (void *)function);
}

HD_EXPORT int heddle_check_fork(int wanted);
HD_EXPORT int heddle_check_fork(int wanted) { return hd_run.shared && hd_run.shared->debugged ? 2 /* CK_NOFORK */ : wanted; }

HD_EXPORT int heddle_check_own(const char *expression);
HD_EXPORT int heddle_check_own(const char *expression) { return strstr(expression, "_ck_") != NULL; }

/* "Assertion 'WORDS' failed: MORE" is WORDS: MORE. */
static void shorten(const char *text, char *to, size_t size)
{
    static const char head[] = "Assertion '", tail[] = "' failed";
    const char *words = text + sizeof head - 1, *end = strstr(text, tail);
    if (strncmp(text, head, sizeof head - 1) != 0 || !end)
        snprintf(to, size, "%s", text);
    else
        snprintf(to, size, "%.*s%s", (int)(end - words), words, end + sizeof tail - 1);
}

HD_EXPORT void heddle_check_failing(const char *file, unsigned line, const char *expression, const char *message,
                                    const void *caller);
HD_EXPORT void heddle_check_failing(const char *file, unsigned line, const char *expression, const char *message,
                                    const void *caller)
{
    static __thread char text[HD_TEXT_MAX / 2];
    if (!hd_self)
        return;
    hd_quiet();
    bool own = message && strncmp(message, "Assertion '", 11) == 0;
    shorten(own ? message : expression, text, sizeof text);
    hd_loud();
    hd_assertion_begin(file, line, text, (uint64_t)(uintptr_t)caller);
    if (message && !own)
        hd_assertion_said(message);
}
