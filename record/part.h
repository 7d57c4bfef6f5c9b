/* SPDX-License-Identifier: Apache-2.0
 * Frameworks that are given functions: set-up, test, tear-down. Each such
 * function is a *part* of a case, and gets a closure of its own signature that
 * the framework calls in its place. The first part that is called begins the
 * test, the last one ends it; a part left by longjmp has failed, and the
 * tear-down that follows is still the test's.
 *
 *     framework ─▶ closure ─▶ run(): begin? loud, the user's function, quiet, over?
 *
 * Some frameworks judge after the last part (leaks, values not used): a case
 * that `lingers` ends when the next one begins, or at hd_case_over().
 * In a replay the parts of the other cases do nothing. */
#ifndef HD_PART_H
#define HD_PART_H

#include <ffi.h>

#include "record/runtime.h"

enum hd_part_kind { HD_PART_SET_UP, HD_PART_TEST, HD_PART_TEAR_DOWN };

struct hd_part;

struct hd_case {
    char suite[HD_NAME_MAX / 2], name[HD_NAME_MAX / 2];
    unsigned set_ups, tear_downs; /* how many there are */
    bool lingers, set_up_decides; /* a failed set-up: no tear-down follows */
    int expected_status; /* a wait status that is no failure, -1: none */
    void (*unseen)(void); /* the test function is back: tell the framework of failures in other threads */
    /* Who is it, where a part serves several? The case, named; NULL: this one. */
    struct hd_case *(*resolve)(struct hd_case *, enum hd_part_kind, void **arguments);
};

/* How a part's function is called: libffi's own way would touch memory in the user's name. */
struct hd_signature { ffi_cif cif; void (*call)(void *function, void *result, void **arguments); };

/* A function to give to the framework instead of `function`; that itself where there is no heddle. */
void *hd_part_closure(struct hd_case *, enum hd_part_kind, struct hd_signature *, void *function);

void hd_part_left(uintptr_t stack_pointer, bool noted); /* a longjmp to there; its reason is in the trace */
void hd_case_skipped(void);                 /* the test asks to be left without a verdict */
void hd_case_over(void);
const struct hd_case *hd_case_now(void);

#endif
