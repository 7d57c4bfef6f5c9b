/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/suppressions.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

int hd_option_suppressions(const char *command, const char *path, struct hd_suppressions **all)
{
    char error[512];
    if (!*all)
        *all = hd_suppressions_new();
    if (hd_suppressions_read(*all, path, error, sizeof error) == 0)
        return 0;
    hd_suppressions_free(*all);
    *all = NULL;
    return hd_usage_error(command, "%s", error);
}

void hd_name_unused_suppressions(const char *command, const struct hd_suppressions *all)
{
    char *line;
    for (size_t i = 0; all && (line = hd_suppressions_unused(all, i)) != NULL; i++) {
        fprintf(stderr, "heddle %s: %s\n", command, line);
        free(line);
    }
}
