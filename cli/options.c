/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "cli/cli.h"
#include "proto/memory.h"

int hd_option_error(const char *command, int c, char **argv)
{
    const char *word = argv[optind - 1];
    if (c == ':')
        return hd_usage_error(command, "'%s' needs a value; see 'heddle %s --help'", word, command);
    return hd_usage_error(command, "unknown option '%s'; see 'heddle %s --help'", word, command);
}

/* The digits `text` begins with; *end: what follows them. */
static bool take_number(const char *text, char **end, uint64_t *number)
{
    errno = 0;
    *number = strtoull(text, end, 10);
    return *text >= '0' && *text <= '9' && !errno;
}

int hd_option_number(const char *command, const char *option, const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    if (!take_number(text, &end, number) || *end || *number > most)
        return hd_usage_error(command, "%s wants a number up to %llu, not '%s'", option, (unsigned long long)most,
                              text);
    return 0;
}

int hd_option_seconds(const char *command, const char *option, const char *text, unsigned *seconds)
{
    uint64_t number = 0;
    char *digits = hd_strdup(text);
    size_t length = strlen(digits);
    if (length > 1 && digits[length - 1] == 's')
        digits[length - 1] = 0; /* "60s" */
    int failed = hd_option_number(command, option, digits, 1000000, &number);
    free(digits);
    *seconds = (unsigned)number;
    return failed;
}

int hd_option_slice(const char *command, const char *text, uint64_t *k, uint64_t *n)
{
    char *end;
    bool two = take_number(text, &end, k) && *end == '/' && take_number(end + 1, &end, n) && !*end;
    if (!two || *k < 1 || *k > *n)
        return hd_usage_error(command, "--slice wants K/N with K from 1 to N, not '%s'", text);
    --*k;
    return 0;
}

int hd_option_kinds(const char *command, const char *list, unsigned *kinds)
{
    static const struct { const char *name; unsigned bit; } names[] = {
        {"nondet", HD_KINDS_NONDET}, {"race", HD_KINDS_RACE},     {"deadlock", HD_KINDS_DEADLOCK},
        {"wakeup", HD_KINDS_WAKEUP}, {"memory", HD_KINDS_MEMORY}, {"misuse", HD_KINDS_MISUSE},
        {"all", HD_KINDS_ALL}};
    *kinds = 0;
    char *copy = hd_strdup(list), *rest = copy, *word;
    int result = 0;
    while ((word = strsep(&rest, ",")) != NULL) {
        size_t i = 0;
        while (i < sizeof names / sizeof *names && strcmp(word, names[i].name) != 0)
            i++;
        if (i < sizeof names / sizeof *names)
            *kinds |= names[i].bit;
        else
            result = hd_usage_error(command, "unknown kind '%s'; there are nondet, race, deadlock, wakeup, memory, "
                                             "misuse, all", word);
    }
    free(copy);
    return result;
}
