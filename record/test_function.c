/* SPDX-License-Identifier: Apache-2.0
 * HEDDLE_TEST: a function void (void) carries no data, so each gets a libffi
 * closure of its own that knows its name. */
#include <ffi.h>
#include <stdio.h>
#include <string.h>

#include "record/runtime.h"

typedef void function_fn(void);

struct marked { char name[HD_NAME_MAX / 2]; function_fn *function; };

static uintptr_t frame; /* of run(), while a test it began is on */

static void run(ffi_cif *cif, void *result, void **arguments, void *data)
{
    (void)cif;
    (void)result;
    (void)arguments;
    struct marked *marked = data;
    if (!hd_run.shared || hd_run.recording) {
        marked->function();
        return;
    }
    if (!hd_test_begin("", marked->name))
        return;
    frame = (uintptr_t)__builtin_frame_address(0);
    marked->function();
    frame = 0;
    hd_test_end(true);
}

void hd_test_function_left(uintptr_t stack_pointer)
{
    if (!frame || stack_pointer <= frame)
        return;
    frame = 0;
    hd_test_end(false);
}

HD_EXPORT function_fn *heddle_test_function(const char *name, function_fn *function);
HD_EXPORT function_fn *heddle_test_function(const char *name, function_fn *function)
{
    static ffi_cif cif;
    void *code;
    if (!hd_run.shared)
        return function;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &code);
    struct marked *marked = hd_arena(sizeof *marked);
    if (!closure || ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 0, &ffi_type_void, NULL) != FFI_OK ||
        ffi_prep_closure_loc(closure, &cif, run, marked, code) != FFI_OK)
        return function;
    snprintf(marked->name, sizeof marked->name, "%s", name);
    marked->function = function;
    return (function_fn *)code;
}
