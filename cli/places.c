/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/memory.h"

/* Folder of the running program; a libtool build has it one level down. */
static char *own_folder(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return hd_strdup("");
    path[length] = 0;
    char *slash = strrchr(path, '/');
    *slash = 0;
    if (strlen(path) > 6 && strcmp(path + strlen(path) - 6, "/.libs") == 0)
        path[strlen(path) - 6] = 0;
    return hd_strdup(path);
}

/* The first of three candidates that holds `file`. */
static char *first_with(const char *file, char *built, char *beside, const char *installed)
{
    char *candidate[] = { built, beside, hd_strdup(installed) };
    char *found = NULL;
    for (int i = 0; i < 3; i++) {
        char *path = hd_format("%s/%s", candidate[i], file);
        int there = access(path, R_OK) == 0;
        free(path);
        if (!found && (there || i == 2))
            found = candidate[i];
        else
            free(candidate[i]);
    }
    return found;
}

static int in_build_tree(const char *own)
{
    return strcmp(own, HD_BUILDDIR) == 0;
}

char *hd_place_library(void)
{
    char *own = own_folder();
    char *found = first_with("libheddle.so", hd_format("%s/.libs", own), hd_format("%s/../lib", own), HD_LIBDIR);
    free(own);
    return found;
}

char *hd_place_include(void)
{
    char *own = own_folder();
    char *built = hd_strdup(in_build_tree(own) ? HD_SRCDIR "/record/include" : "/nonexistent");
    char *found = first_with("heddle/cunit.h", built, hd_format("%s/../include", own), HD_INCLUDEDIR);
    free(own);
    return found;
}

char *hd_place_gdb(void)
{
    char *own = own_folder();
    char *built = hd_strdup(in_build_tree(own) ? HD_SRCDIR "/replay" : "/nonexistent");
    char *folder = first_with("heddle_gdb.py", built, hd_format("%s/../share/heddle", own), HD_PKGDATADIR);
    char *path = hd_format("%s/heddle_gdb.py", folder);
    free(folder);
    free(own);
    return path;
}
