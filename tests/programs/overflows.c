/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char small[4];
static const char *volatile text = "too long";

int main(int argc, char **argv)
{
    volatile size_t size = 9;
    const char *call = argc > 1 ? argv[1] : "";
    if (strcmp(call, "memcpy") == 0)
        memcpy(small, text, size);
    if (strcmp(call, "memset") == 0)
        memset(small, 1, size);
    if (strcmp(call, "strcpy") == 0)
        strcpy(small, text);
    if (strcmp(call, "strcat") == 0)
        strcat(small, text);
    if (strcmp(call, "snprintf") == 0)
        snprintf(small, size, "%s", text);
    return 0;
}
