// SPDX-License-Identifier: Apache-2.0
// Traces written by hand, with verdicts known beforehand: one for each kind of
// finding and for each mistake that such engines make.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"

enum { X = 0x100, Y = 0x200, Z = 0x300, P = 0x400, K = 0x500, M = 0x600, V = 0x700, BLOCK = 0x1000 };

static unsigned checks, failures;

struct line { unsigned thread, kind, object; uint64_t address, value; };

#define NONE HD_NO_INDEX
#define R(t, a, v) {t, HD_READ, NONE, a, v}
#define W(t, a, v) {t, HD_WRITE, NONE, a, v}
#define ON(t, k, o) {t, HD_##k, o, 0, 0}
#define ONV(t, k, o, v) {t, HD_##k, o, 0, v}
#define OF(t, k, v) {t, HD_##k, NONE, 0, v}

static char *account_of(const struct line *lines, size_t count, bool values)
{
    struct hd_trace *t = hd_trace_new();
    char *text = NULL;
    size_t size = 0;
    t->has_values = values;
    static const char *const paths[] = {"0", "0.1", "0.2", "0.3", "0.4"};
    for (unsigned i = 0; i < 5; i++)
        hd_trace_add_thread(t, paths[i], 0, 0);
    for (unsigned i = 0; i < 4; i++)
        hd_trace_add_object(t, i == 3 ? HD_OBJECT_COND : HD_OBJECT_MUTEX, 0x9000 + i);
    for (size_t i = 0; i < count; i++) {
        bool data = lines[i].kind == HD_READ || lines[i].kind == HD_WRITE;
        *hd_trace_add_event(t) = (struct hd_event){
            .thread = lines[i].thread, .kind = (uint8_t)lines[i].kind, .object = lines[i].object,
            .address = lines[i].address, .value = lines[i].value, .size = data ? 4 : 0, .stack = NONE, .site = NONE};
    }
    struct hd_symbols *symbols = hd_symbols_new(t);
    struct hd_analyze_options options = {.kinds = HD_KINDS_ALL, .all = true, .verify = true,
                                         .account = open_memstream(&text, &size)};
    struct hd_analysis *a = hd_analyze(t, symbols, &options);
    fclose(options.account);
    hd_analysis_free(a);
    hd_symbols_free(symbols);
    hd_trace_free(t);
    return text;
}

/* One line of the account begins with `head`, tabs as blanks, and has that verdict; and stage, where given. */
static void expect(const char *what, const char *account, const char *head, const char *verdict)
{
    char *copy = strdup(account), *rest = copy, *row;
    bool ok = false;
    while ((row = strsep(&rest, "\n")) != NULL) {
        for (char *p = row; *p; p++)
            *p = *p == '\t' ? ' ' : *p;
        ok |= strncmp(row, head, strlen(head)) == 0 && strncmp(row + strlen(head), verdict, strlen(verdict)) == 0;
    }
    checks++;
    failures += !ok;
    if (!ok)
        printf("%s: no line '%s%s' in\n%s", what, head, verdict, account);
    free(copy);
}

#define ACCOUNT(values, ...) \
    account_of((const struct line[]){__VA_ARGS__}, sizeof((const struct line[]){__VA_ARGS__}) / sizeof(struct line), values)

/* 8 would have to see 2 after 6: then 3, after it, reads what 5 wrote. */
static void write_between(void)
{
    for (int values = 0; values < 2; values++) {
        char *a = ACCOUNT(values, OF(0, CREATE, 1), W(0, Y, 1), W(1, X, 5), R(1, Y, 1), W(1, Z, 1), W(0, Y, 2), W(0, X, 6),
                          R(0, Z, 1), R(0, X, 6));
        expect("a write between a kept write and its read", a, "atomicity 8 6 2 ",
               values ? "impossible" : "impossible stage2");
        free(a);
    }
}

/* Both threads hold one lock when 3 sees 9; what they would do next is a deadlock, and no concern. */
static void runs_into_deadlock(void)
{
    char *a = ACCOUNT(true, OF(0, CREATE, 1), OF(0, CREATE, 2), ON(1, LOCK, 0), R(1, X, 0), ON(1, LOCK, 1), ON(1, UNLOCK, 1),
                      ON(1, UNLOCK, 0), OF(2, START, 0), ON(2, LOCK, 1), W(2, X, 7), ON(2, LOCK, 0), ON(2, UNLOCK, 0),
                      ON(2, UNLOCK, 1));
    expect("a witness that runs on into a deadlock", a, "nondet 3  9 ", "witness");
    expect("the deadlock itself", a, "deadlock 4 10  ", "witness");
    expect("and its race", a, "race 3 9  ", "witness");
    free(a);
}

/* The same under a lock that both take first. */
static void gate_lock(void)
{
    char *a = ACCOUNT(true, OF(0, CREATE, 1), OF(0, CREATE, 2), ON(1, LOCK, 2), ON(1, LOCK, 0), ON(1, LOCK, 1),
                      ON(1, UNLOCK, 1), ON(1, UNLOCK, 0), ON(1, UNLOCK, 2), ON(2, LOCK, 2), ON(2, LOCK, 1), ON(2, LOCK, 0),
                      ON(2, UNLOCK, 0), ON(2, UNLOCK, 1), ON(2, UNLOCK, 2));
    expect("a cycle behind a gate", a, "deadlock 4 10  ", "impossible");
    free(a);
}

/* The rules of stage 2, each where no other rule will do. A later stage would find the same, at a price, so the
 * stage is asked for too. Reads keep writers here; 13 (12) would have to see 5 (2) after all other writes of Z. */

/* 9 comes before 6, so before 2, which 6 reads (R1); so 8 comes before 3, which found P untouched. */
static void rule_one(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), W(1, X, 1), R(1, P, 0), W(1, M, 1), W(2, Z, 1), R(2, X, 1),
                      W(2, K, 1), W(0, P, 2), W(0, X, 2), W(0, Z, 2), R(0, K, 1), R(0, M, 1), R(0, Z, 2));
    expect("R1", a, "atomicity 13 10 5 ", "impossible stage2");
    free(a);
}

/* 6 comes before 3, so does 8, which reads it (R2); so 7 comes before 4, which found P untouched. */
static void rule_two(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), W(1, Z, 1), W(1, X, 1), R(1, P, 0), W(1, M, 1), W(0, X, 2),
                      W(2, P, 1), R(2, X, 2), W(2, K, 1), W(0, Z, 2), R(0, K, 1), R(0, M, 1), R(0, Z, 2));
    expect("R2", a, "atomicity 13 10 2 ", "impossible stage2");
    free(a);
}

/* The section of 9 began before 4, so it ended before 2 (R3); but it reads what comes after 3. */
static void rule_three(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), ON(1, LOCK, 0), W(1, P, 1), W(1, Z, 1), ON(1, UNLOCK, 0),
                      R(2, P, 1), W(2, K, 1), ON(0, LOCK, 0), W(0, Z, 2), R(0, K, 1), ON(0, UNLOCK, 0), R(0, Z, 2));
    expect("R3", a, "atomicity 12 9 4 ", "impossible stage2");
    free(a);
}

/* 7 has to let 5 read what 3 wrote, although nothing orders 3 and 7. */
static void pending_reader(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), OF(0, CREATE, 3), W(3, X, 1), W(2, Z, 1), R(2, X, 1),
                      W(2, K, 1), W(1, X, 2), W(1, M, 1), W(0, Z, 2), R(0, M, 1), R(0, K, 1), R(0, Z, 2));
    expect("a reader still to come", a, "atomicity 12 9 4 ", "witness stage2");
    free(a);
}

/* 2 and 7 take one lock and stay inside. That 6 comes before 7 brings 5; that 9 comes before 2 does. */
static void second_branch(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), ON(1, LOCK, 0), W(1, K, 1), W(1, Z, 1), W(1, Z, 2),
                      ON(1, UNLOCK, 0), ON(2, LOCK, 0), W(2, M, 1), ON(2, UNLOCK, 0), R(0, K, 1), R(0, M, 1), R(0, Z, 2));
    expect("the other side of a choice", a, "nondet 12 5 4 ", "witness stage3");
    free(a);
}

/* 3 would have to come after 11, so 4 after 5, which woke it. */
static void signal_after_wait(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), ON(1, LOCK, 0), W(1, Z, 1), ONV(1, COND_WAIT, 3, 1),
                      ON(2, SIGNAL, 3), W(2, M, 1), ONV(1, COND_WAKE, 3, 1), ON(1, LOCK, 0), W(1, K, 1), R(0, M, 1), W(0, Z, 2),
                      R(0, K, 1), R(0, Z, 2));
    expect("a signal that came after the wait began", a, "atomicity 13 11 3 ", "impossible stage2");
    free(a);
}

/* Once 26 may see 5, 19 needs more: 9, and 15 under the same lock, so 10 too, which it did not need by itself. */
static void another_section(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), OF(0, CREATE, 3), OF(0, CREATE, 4), W(3, X, 1),
                      W(2, Z, 1), R(2, X, 1), W(2, K, 1), ON(3, LOCK, 0), W(3, P, 1), ON(3, UNLOCK, 0), ON(2, LOCK, 1),
                      W(2, V, 1), R(4, V, 1), ON(4, LOCK, 0), W(4, Y, 1), ON(4, UNLOCK, 0), R(2, P, 1), R(2, Y, 1),
                      W(2, Z, 3), ON(2, UNLOCK, 1), W(1, X, 2), W(1, M, 1), W(0, Z, 2), R(0, M, 1), R(0, K, 1), R(0, Z, 2));
    expect("the first challenger", a, "atomicity 26 23 5 ", "witness stage2");
    expect("a second one, behind two sections", a, "atomicity 26 23 19 ", "witness");
    free(a);
}

/* Once 28 may see 5, 10 came; 20 needs the wait that it ended. */
static void another_wait(void)
{
    char *a = ACCOUNT(false, OF(0, CREATE, 1), OF(0, CREATE, 2), OF(0, CREATE, 3), OF(0, CREATE, 4), W(3, X, 1),
                      W(2, Z, 1), R(2, X, 1), W(2, K, 1), ON(4, LOCK, 0), ONV(4, COND_WAIT, 3, 1), ON(3, SIGNAL, 3),
                      W(3, P, 1), ONV(4, COND_WAKE, 3, 1), ON(4, LOCK, 0), ON(2, LOCK, 1), W(2, V, 1), R(4, V, 1), W(4, Y, 1),
                      ON(4, UNLOCK, 0), R(2, Y, 1), W(2, Z, 3), ON(2, UNLOCK, 1), W(1, X, 2), W(1, M, 1), W(0, Z, 2),
                      R(0, M, 1), R(0, P, 1), R(0, K, 1), R(0, Z, 2));
    expect("the first challenger", a, "atomicity 28 24 5 ", "witness stage2");
    expect("a second one, behind a wait", a, "atomicity 28 24 20 ", "witness stage2");
    free(a);
}

/* 6 may see what 2 wrote as well as 5, and then 4 need not have been. */
static void another_source(void)
{
    char *a = ACCOUNT(true, OF(0, CREATE, 1), OF(0, CREATE, 2), W(1, X, 1), W(2, Z, 1), W(2, Z, 2), W(2, X, 1), R(0, X, 1),
                      R(0, Z, 2));
    expect("a read that another write can serve", a, "nondet 7 4 3 ", "witness stage3");
    free(a);
}

/* The same, but what 3 wrote was overwritten by 4 before 6 is over: no order of the two has 1 for 8. */
static void no_source(void)
{
    char *a = ACCOUNT(true, OF(0, CREATE, 1), OF(0, CREATE, 2), W(1, P, 1), W(1, X, 1), W(1, X, 2), W(1, M, 1), R(0, M, 1),
                      W(2, Z, 1), W(2, Z, 2), W(2, X, 1), R(0, X, 1), R(0, Z, 2));
    expect("a read that no other write can serve in time", a, "nondet 11 8 7 ", "impossible stage");
    free(a);
}

static void use_after_free(void)
{
    char *a = ACCOUNT(true, {0, HD_ALLOC, NONE, BLOCK, 16}, OF(0, CREATE, 1), OF(1, START, 0), W(1, BLOCK, 1),
                      {0, HD_FREE, NONE, BLOCK, 0});
    expect("freed without a join", a, "memory 3 4  ", "witness");
    free(a);
    a = ACCOUNT(true, {0, HD_ALLOC, NONE, BLOCK, 16}, OF(0, CREATE, 1), OF(1, START, 0), W(1, BLOCK, 1), OF(1, END, 0),
                OF(0, JOIN, 1), {0, HD_FREE, NONE, BLOCK, 0});
    expect("freed after the join", a, "memory 3 6  ", "impossible");
    free(a);
}

static void lost_wakeup(void)
{
    char *a = ACCOUNT(true, OF(0, CREATE, 1), ON(1, LOCK, 0), ONV(1, COND_WAIT, 3, 1), ON(0, LOCK, 0), ON(0, SIGNAL, 3),
                      ON(0, UNLOCK, 0), ONV(1, COND_WAKE, 3, 1), ON(1, LOCK, 0), ON(1, UNLOCK, 0));
    expect("a wait that asks nothing", a, "wakeup 2 4  ", "witness");
    free(a);
    a = ACCOUNT(true, OF(0, CREATE, 1), ON(1, LOCK, 0), R(1, X, 0), ONV(1, COND_WAIT, 3, 1), ON(0, LOCK, 0), W(0, X, 1),
                ON(0, SIGNAL, 3), ON(0, UNLOCK, 0), ONV(1, COND_WAKE, 3, 1), ON(1, LOCK, 0), R(1, X, 1), ON(1, UNLOCK, 0));
    expect("a wait that asks first", a, "wakeup 3 6  ", "impossible");
    free(a);
}

static void misuse(void)
{
    char *a = ACCOUNT(true, OF(0, CREATE, 1), ON(0, LOCK, 0), ON(1, UNLOCK, 0), ON(1, LOCK, 1), OF(1, END, 0));
    expect("a stranger's release", a, "misuse 2   ", "witness");
    expect("an end with a lock", a, "misuse 4   ", "witness");
    free(a);
}

static void join_with_lock(void)
{
    char *a = ACCOUNT(true, OF(0, CREATE, 1), OF(1, START, 0), ON(1, LOCK, 0), ON(1, UNLOCK, 0), OF(1, END, 0),
                      ON(0, LOCK, 0), OF(0, JOIN, 1), ON(0, UNLOCK, 0));
    expect("joined by who holds its lock", a, "deadlock 2 6  ", "witness");
    free(a);
}

int main(void)
{
    write_between();
    runs_into_deadlock();
    gate_lock();
    rule_one();
    rule_two();
    rule_three();
    pending_reader();
    second_branch();
    signal_after_wait();
    another_section();
    another_wait();
    another_source();
    no_source();
    use_after_free();
    lost_wakeup();
    misuse();
    join_with_lock();
    printf("%u passed, %u failed\n", checks - failures, failures);
    return failures ? 1 : 0;
}
