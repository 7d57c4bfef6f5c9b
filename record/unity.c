/* SPDX-License-Identifier: Apache-2.0
 * Unity, behind <heddle/unity.h>. Its functions are part of the program, so the
 * header does the work; here are the names. Unity's macros hand the operands on
 * with casts and parentheses of their own: these are taken off again. */
#include <stdio.h>
#include <string.h>

#include "record/framework.h"
#include "record/runtime.h"

HD_EXPORT int heddle_unity_begin(const char *file, const char *test);
HD_EXPORT int heddle_unity_begin(const char *file, const char *test)
{
    char suite[HD_NAME_MAX / 2];
    const char *name = file;
    for (const char *p = file; *p; p++)
        if (*p == '/')
            name = p + 1;
    size_t length = strcspn(name, ".");
    snprintf(suite, sizeof suite, "%.*s", (int)length, name);
    return hd_test_begin(suite, test);
}

static const char *closing(const char *open, const char *end)
{
    int depth = 0;
    for (const char *p = open; p < end; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0)
            return p;
    }
    return NULL;
}

static bool is_cast(const char *from, const char *to)
{
    return (to - from > 6 && strncmp(from, "UNITY_", 6) == 0) || (to - from > 10 && strncmp(from, "const char", 10) == 0);
}

/* "(UNITY_INT)((x))" is x. */
static void strip(const char **from, const char **to)
{
    for (;;) {
        const char *close = **from == '(' ? closing(*from, *to) : NULL;
        if (close && close + 1 == *to)
            --*to;
        else if (!close || !is_cast(*from + 1, close))
            return;
        else
            *from = close;
        ++*from;
        while (**from == ' ' && *from < *to)
            ++*from;
    }
}

HD_EXPORT void heddle_unity_assertion(const char *file, unsigned line, const char *name, const char *first,
                                      const char *second, const void *caller);
HD_EXPORT void heddle_unity_assertion(const char *file, unsigned line, const char *name, const char *first,
                                      const char *second, const void *caller)
{
    static __thread char text[HD_TEXT_MAX / 2];
    if (!hd_self)
        return;
    hd_quiet();
    const char *a = first ? first : "", *b = second ? second : "";
    const char *a_end = a + strlen(a), *b_end = b + strlen(b);
    strip(&a, &a_end);
    strip(&b, &b_end);
    snprintf(text, sizeof text, "%s(%.*s%s%.*s)", name, (int)(a_end - a), a, *b ? ", " : "", (int)(b_end - b), b);
    hd_loud();
    hd_assertion_begin(file, line, text, caller ? (uint64_t)(uintptr_t)caller : HD_CALLER);
}
