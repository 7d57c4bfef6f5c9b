/* SPDX-License-Identifier: Apache-2.0
 * longjmp. The frames it leaves are dropped from the shadow call stack before
 * the jump: what follows belongs to the function it lands in. Where the stack
 * pointer in a jmp_buf cannot be read, the next call or return drops them. */
#include <setjmp.h>

#include "record/framework.h"
#include "record/part.h"
#include "record/runtime.h"

typedef void jump_fn(struct __jmp_buf_tag[1], int);

#if defined __x86_64__ && defined __GLIBC__
static uintptr_t target_stack_pointer(const struct __jmp_buf_tag *env)
{
    uintptr_t p = (uintptr_t)env->__jmpbuf[6];
    __asm__("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(p) : : "cc");
    return p;
}
#else
static uintptr_t target_stack_pointer(const struct __jmp_buf_tag *env)
{
    (void)env;
    return 0;
}
#endif

static void leave_frames(const struct __jmp_buf_tag *env)
{
    uintptr_t target = target_stack_pointer(env);
    hd_signal_left(target);
    bool noted = hd_assertion_left(true);
    struct hd_thread *t = hd_self ? hd_self : hd_quiet_thread();
    if (t) {
        if (hd_self)
            hd_access_flush(t);
        while (t->frames && t->frame[t->frames - 1].cfa < target)
            t->frames--;
        hd_test_function_left(target);
    }
    hd_framework_left(target);
    hd_part_left(target, noted);
}

#define JUMP(name)                                                                                   \
    HD_EXPORT void name(struct __jmp_buf_tag env[1], int value);                                     \
    HD_EXPORT void name(struct __jmp_buf_tag env[1], int value)                                      \
    {                                                                                                \
        static jump_fn *real;                                                                        \
        if (!real)                                                                                   \
            real = (jump_fn *)hd_real(#name);                                                        \
        leave_frames(env);                                                                           \
        real(env, value);                                                                            \
        __builtin_unreachable();                                                                     \
    }

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
