// SPDX-License-Identifier: Apache-2.0
#include "symbols/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

static demangler *runtime(void)
{
    static demangler *found;
    static int tried;
    if (!tried) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        found = library ? (demangler *)dlsym(library, "__cxa_demangle") : NULL;
        tried = 1;
    }
    return found;
}

char *hd_demangled(const char *name)
{
    int status = 0;
    char *plain = strncmp(name, "_Z", 2) == 0 && runtime() ? runtime()(name, NULL, NULL, &status) : NULL;
    return plain ? plain : hd_strdup(name);
}
