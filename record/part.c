/* SPDX-License-Identifier: Apache-2.0 */
#include "record/part.h"

#include <string.h>

#include "record/framework.h"

struct hd_part { struct hd_case *of; enum hd_part_kind kind; struct hd_signature *signature; void *function; };

/* The case that runs in this process. */
static struct {
    struct hd_case *is;
    bool chosen, failed, skipped, returned;
    bool explained; /* why it failed is in the trace */
    unsigned tear_downs; /* still to come */
    enum hd_part_kind kind;
    uintptr_t frame; /* of run(), while the user's function is on */
} now;

static void close_case(void)
{
    if (!now.is)
        return;
    bool passed = !now.failed || now.skipped;
    now.is = NULL;
    hd_loud();
    if (now.chosen)
        hd_test_end(passed);
}

static void open_case(struct hd_case *c)
{
    close_case();
    hd_failure_forget();
    memset(&now, 0, sizeof now);
    now.is = c;
    now.tear_downs = c->tear_downs;
    now.chosen = hd_test_begin(c->suite, c->name);
    if (now.chosen && hd_run.shared)
        hd_run.shared->expected_status = c->expected_status;
    hd_quiet();
}

/* After the last part there may still be a verdict of the framework. */
static void part_over(bool left)
{
    bool last = now.kind == HD_PART_TEAR_DOWN ? --now.tear_downs == 0 : now.kind == HD_PART_TEST || left;
    now.frame = 0;
    now.failed |= left;
    hd_quiet();
    if (last && (now.tear_downs == 0 || (now.kind == HD_PART_SET_UP && now.is->set_up_decides))) {
        now.returned = true;
        if (!now.is->lingers)
            close_case();
    }
}

static bool is_next(const struct hd_case *c, enum hd_part_kind kind)
{
    return now.is == c && !now.returned && !(kind == HD_PART_SET_UP && now.kind != HD_PART_SET_UP);
}

static void call(struct hd_part *p, void *result, void **arguments)
{
    now.kind = p->kind;
    now.frame = (uintptr_t)__builtin_frame_address(0);
    hd_loud();
    p->signature->call(p->function, result, arguments);
    hd_quiet();
    if (p->kind == HD_PART_TEST && p->of->unseen && hd_failure_unseen()) {
        now.explained = true;
        p->of->unseen();
    }
    bool refused = p->kind == HD_PART_SET_UP && p->signature->cif.rtype != &ffi_type_void && *(ffi_sarg *)result != 0;
    if (refused)
        hd_failure_without_assertion("the set-up");
    part_over(refused);
}

static void run(ffi_cif *cif, void *result, void **arguments, void *data)
{
    struct hd_part *p = data;
    (void)cif;
    struct hd_case *c = p->of->resolve ? p->of->resolve(p->of, p->kind, arguments) : p->of;
    if (!is_next(c, p->kind))
        open_case(c);
    if (now.chosen) {
        call(p, result, arguments);
        return;
    }
    now.kind = p->kind;
    if (p->signature->cif.rtype != &ffi_type_void)
        *(ffi_arg *)result = 0;
    part_over(false);
}

void *hd_part_closure(struct hd_case *c, enum hd_part_kind kind, struct hd_signature *signature, void *function)
{
    void *code;
    if (!hd_run.shared || !function)
        return function;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &code);
    struct hd_part *p = hd_arena(sizeof *p);
    if (!closure || ffi_prep_closure_loc(closure, &signature->cif, run, p, code) != FFI_OK)
        return function;
    *p = (struct hd_part){ c, kind, signature, function };
    return code;
}

void hd_part_left(uintptr_t stack_pointer, bool noted)
{
    if (!now.is || (hd_self ? hd_self : hd_quiet_thread()) != hd_test_thread())
        return;
    bool left = now.frame && stack_pointer > now.frame;
    if (!left && !now.returned)
        return;
    if (!noted && !now.skipped && !now.explained)
        hd_failure_without_assertion("the test was left by longjmp");
    if (left)
        part_over(true);
    else
        hd_quiet();
    now.failed = true;
}

void hd_case_skipped(void) { now.skipped = true; }

void hd_case_over(void) { close_case(); }

const struct hd_case *hd_case_now(void) { return now.is; }
