/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "cli/cli.h"

int hd_option_error(const char *command, int c, char **argv)
{
    const char *word = argv[optind - 1];
    if (c == ':')
        return hd_usage_error(command, "'%s' needs a value; see 'heddle %s --help'", word, command);
    return hd_usage_error(command, "unknown option '%s'; see 'heddle %s --help'", word, command);
}

int hd_option_number(const char *command, const char *option, const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno || *end || *text < '0' || *text > '9' || *number > most)
        return hd_usage_error(command, "%s wants a number up to %llu, not '%s'", option, (unsigned long long)most,
                              text);
    return 0;
}
