/* SPDX-License-Identifier: Apache-2.0 */
#include "report/source_place.h"

#include <stdlib.h>
#include <string.h>

#include "proto/memory.h"

const char *hd_keep(struct hd_strings *k, char *s)
{
    HD_GROW(k->s, k->count, k->room);
    return k->s[k->count++] = s;
}

const char *hd_keep_copy(struct hd_strings *k, const char *s)
{
    return hd_keep(k, hd_strdup(s));
}

void hd_strings_free(struct hd_strings *k)
{
    for (size_t i = 0; i < k->count; i++)
        free(k->s[i]);
    free(k->s);
    *k = (struct hd_strings){0};
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *absolute(struct hd_strings *k, const struct hd_trace *t, const char *path)
{
    if (!*path || *path == '/' || !t->cwd || !*t->cwd)
        return hd_keep_copy(k, path);
    return hd_keep(k, hd_format("%s/%s", t->cwd, path));
}

struct hd_source_place hd_place_of_site(struct hd_strings *k, const struct hd_trace *t, struct hd_symbols *symbols,
                                        uint32_t site)
{
    struct hd_source_place place = {.function = "", .file = "", .path = "", .module = ""};
    if (site >= t->sites)
        return place;
    const struct hd_place *p = hd_symbols_place(symbols, site);
    uint32_t module = t->site[site].module;
    place.function = hd_keep_copy(k, p->function);
    place.file = hd_keep_copy(k, p->file);
    place.path = *p->file ? absolute(k, t, p->path) : "";
    place.module = module < t->modules ? hd_keep_copy(k, base_name(t->module[module].path)) : "";
    place.offset = t->site[site].offset;
    place.line = p->line;
    return place;
}

struct hd_source_place hd_place_of_anchor(struct hd_strings *k, const struct hd_trace *t, struct hd_symbols *symbols,
                                          const Heddle__Witness *w, uint32_t anchor)
{
    struct hd_source_place place = {.function = "", .file = "", .path = "", .module = ""};
    if (!anchor)
        return place;
    const Heddle__Anchor *a = w->anchor[anchor - 1];
    for (uint32_t i = 0; t && i < t->sites; i++) {
        uint32_t module = t->site[i].module;
        if (t->site[i].offset == a->offset && module < t->modules && strcmp(t->module[module].path, a->module) == 0)
            place.path = hd_place_of_site(k, t, symbols, i).path;
    }
    place.function = hd_keep_copy(k, a->function);
    place.file = hd_keep_copy(k, base_name(a->file));
    place.module = hd_keep_copy(k, base_name(a->module));
    place.offset = a->offset;
    place.line = a->line;
    return place;
}

char *hd_source_place_words(const struct hd_source_place *p)
{
    if (p->line && *p->file)
        return hd_format("%s:%u", p->file, p->line);
    return *p->module ? hd_format("%s+0x%llx", p->module, (unsigned long long)p->offset) : hd_strdup("");
}
