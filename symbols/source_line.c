/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/source_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/memory.h"

#define LINE_MAX_KEPT 200

/* A device or a pipe would be no source, and might never end. */
static FILE *open_source(const char *folder, const char *path)
{
    struct stat st;
    char *whole = *path == '/' ? hd_strdup(path) : hd_format("%s/%s", folder, path);
    bool there = stat(whole, &st) == 0 && S_ISREG(st.st_mode);
    FILE *f = there ? fopen(whole, "re") : NULL;
    if (there && !f)
        hd_end_if_exhausted(whole);
    free(whole);
    return f;
}

static char *stripped(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    char *line = hd_format("%.*s", (int)(length < LINE_MAX_KEPT ? length : LINE_MAX_KEPT), text);
    for (char *p = line; *p; p++)
        if (*p & 0x80)
            *p = '?'; /* a cut may have fallen inside a character */
    return line;
}

char *hd_source_line(const char *folder, const char *path, uint32_t line)
{
    FILE *f = line && *path ? open_source(folder, path) : NULL;
    char *text = NULL, *found = NULL;
    size_t room = 0;
    for (uint32_t at = 1; f && !found && getline(&text, &room, f) >= 0; at++)
        if (at == line)
            found = stripped(text);
    if (f)
        fclose(f);
    free(text);
    return found ? found : hd_strdup("");
}
