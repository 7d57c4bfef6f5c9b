/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "proto/frame.h"
#include "proto/memory.h"
#include "symbols/demangle.h"
#include "symbols/members.h"
#include "symbols/source_line.h"

struct datum_symbol {
    uint64_t address, size;
    const char *name; /* libdwfl's */
};

struct module {
    bool tried;
    Dwfl *dwfl;
    Dwfl_Module *file;
    GElf_Addr bias;
    struct datum_symbol *symbol;
    size_t symbols, symbols_room;
    bool symbols_read;
    struct hd_members *members;
};

struct block {
    uint64_t address, size, reach; /* reach: highest end of this and all blocks before it */
    uint64_t position;
};

struct hd_symbols {
    const struct hd_trace *trace;
    struct module *module;
    struct hd_place **place;
    char **datum, **object;
    const char **line;
    struct block *block;
    size_t blocks, blocks_room;
    bool blocks_read;
    char **text; /* interned, open addressing */
    size_t texts, texts_room;
};

static const struct hd_place nowhere = {"?", "", "", 0, false};

/* Takes `text` over. */
static const char *intern(struct hd_symbols *s, char *text)
{
    if (s->texts * 2 >= s->texts_room) {
        size_t old_room = s->texts_room;
        char **old = s->text;
        s->texts_room = old_room ? old_room * 2 : 256;
        s->text = hd_alloc(s->texts_room * sizeof *s->text);
        s->texts = 0;
        for (size_t i = 0; i < old_room; i++)
            if (old[i])
                intern(s, old[i]);
        free(old);
    }
    uint64_t hash = 14695981039346656037u;
    for (const char *p = text; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 1099511628211u;
    size_t at = hash & (s->texts_room - 1);
    for (; s->text[at]; at = (at + 1) & (s->texts_room - 1)) {
        if (strcmp(s->text[at], text) == 0) {
            free(text);
            return s->text[at];
        }
    }
    s->texts++;
    return s->text[at] = text;
}

struct hd_symbols *hd_symbols_new(const struct hd_trace *trace)
{
    struct hd_symbols *s = hd_alloc(sizeof *s);
    s->trace = trace;
    s->module = hd_alloc(trace->modules * sizeof *s->module);
    s->place = hd_alloc(trace->sites * sizeof *s->place);
    s->datum = hd_alloc(trace->events * sizeof *s->datum);
    s->object = hd_alloc(trace->objects * sizeof *s->object);
    return s;
}

void hd_symbols_free(struct hd_symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->trace->modules; i++) {
        if (s->module[i].dwfl)
            dwfl_end(s->module[i].dwfl);
        free(s->module[i].symbol);
        hd_members_free(s->module[i].members);
    }
    for (size_t i = 0; i < s->trace->sites; i++)
        free(s->place[i]);
    for (size_t i = 0; i < s->texts_room; i++)
        free(s->text[i]);
    free(s->text);
    free(s->module);
    free(s->place);
    free(s->datum);
    free(s->line);
    free(s->object);
    free(s->block);
    free(s);
}

static bool same_build(Dwfl_Module *file, const char *recorded)
{
    const unsigned char *bits;
    GElf_Addr where;
    if (!recorded || !*recorded)
        return true;
    int length = dwfl_module_build_id(file, &bits, &where);
    if (length <= 0 || strlen(recorded) != (size_t)length * 2)
        return false;
    for (int i = 0; i < length; i++) {
        char hex[3];
        snprintf(hex, sizeof hex, "%02x", bits[i]);
        if (strncasecmp(hex, recorded + 2 * (size_t)i, 2) != 0)
            return false;
    }
    return true;
}

/* NULL where the file is gone or another one. */
/* libdw would also wait for a pipe, and unpack what is compressed. */
static bool is_elf(const char *path)
{
    char magic[SELFMAG] = "";
    FILE *f = hd_file_ends(path) ? fopen(path, "re") : NULL;
    bool elf = f && fread(magic, 1, SELFMAG, f) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
    if (f)
        fclose(f);
    return elf;
}

static struct module *open_module(struct hd_symbols *s, uint32_t index)
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &no_path,
    };
    struct module *m = &s->module[index];
    if (m->tried)
        return m->file ? m : NULL;
    m->tried = true;
    const struct hd_module *recorded = &s->trace->module[index];
    m->dwfl = dwfl_begin(&callbacks);
    if (!m->dwfl)
        return NULL;
    char *path = recorded->path[0] == '/' ? hd_strdup(recorded->path)
                                          : hd_format("%s/%s", s->trace->cwd, recorded->path);
    dwfl_report_begin(m->dwfl);
    errno = 0;
    Dwfl_Module *file = is_elf(path) ? dwfl_report_offline(m->dwfl, path, path, -1) : NULL;
    if (!file)
        hd_end_if_exhausted(path);
    dwfl_report_end(m->dwfl, NULL, NULL);
    free(path);
    if (!file || !same_build(file, recorded->build_id) || !dwfl_module_getelf(file, &m->bias))
        return NULL;
    m->file = file;
    return m;
}

/* Without .debug_aranges, as clang leaves it: the unit that has the address is searched for. */
static const char *line_of(const struct module *m, GElf_Addr pc, int *number)
{
    Dwfl_Line *known = dwfl_module_getsrc(m->file, pc);
    if (known)
        return dwfl_lineinfo(known, NULL, number, NULL, NULL, NULL);
    Dwarf_Addr bias = 0;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(m->file, unit, &bias)) != NULL;) {
        Dwarf_Line *line = dwarf_haspc(unit, pc - bias) > 0 ? dwarf_getsrc_die(unit, pc - bias) : NULL;
        if (line && dwarf_lineno(line, number) == 0)
            return dwarf_linesrc(line, NULL, NULL);
    }
    return NULL;
}

static void find_place(struct hd_symbols *s, struct hd_place *place, const struct module *m, uint64_t offset)
{
    GElf_Addr pc = offset - 1 + m->bias;
    const char *function = dwfl_module_addrname(m->file, pc);
    if (function)
        place->function = intern(s, hd_demangled(function));
    int number = 0;
    const char *path = line_of(m, pc, &number);
    if (!path)
        return;
    place->path = intern(s, hd_strdup(path));
    const char *slash = strrchr(place->path, '/');
    place->file = slash ? slash + 1 : place->path;
    place->line = number > 0 ? (uint32_t)number : 0;
    place->has_line = number > 0;
}

/* Imported traces: the place is what the file said. */
static void source_place(struct hd_place *place, const struct hd_module *source, uint64_t line)
{
    const char *slash = strrchr(source->path, '/');
    place->path = source->path;
    place->file = slash && slash[1] ? slash + 1 : source->path;
    place->line = line <= UINT32_MAX ? (uint32_t)line : 0;
    place->has_line = line <= UINT32_MAX;
}

const struct hd_place *hd_symbols_place(struct hd_symbols *s, uint32_t site)
{
    if (site >= s->trace->sites)
        return &nowhere;
    if (s->place[site])
        return s->place[site];
    struct hd_place *place = hd_alloc(sizeof *place);
    *place = nowhere;
    s->place[site] = place;
    const struct hd_site *at = &s->trace->site[site];
    if (at->module < s->trace->modules && s->trace->module[at->module].size == 0) {
        source_place(place, &s->trace->module[at->module], at->offset);
        return place;
    }
    struct module *m = at->module < s->trace->modules ? open_module(s, at->module) : NULL;
    if (m)
        find_place(s, place, m, at->offset);
    return place;
}

const char *hd_symbols_line(struct hd_symbols *s, uint32_t site)
{
    if (site >= s->trace->sites)
        return "";
    if (!s->line)
        s->line = hd_alloc((s->trace->sites + 1) * sizeof *s->line);
    const struct hd_place *place = hd_symbols_place(s, site);
    if (!s->line[site])
        s->line[site] = intern(s, hd_source_line(s->trace->cwd ? s->trace->cwd : ".", place->path, place->line));
    return s->line[site];
}

/* ------------------------------------------------------------- data */

static int by_address(const void *a, const void *b)
{
    const struct datum_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void read_symbols(struct module *m)
{
    m->symbols_read = true;
    int count = dwfl_module_getsymtab(m->file);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(m->file, i, &symbol, &address, NULL, NULL, NULL);
        if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_size == 0)
            continue;
        HD_GROW(m->symbol, m->symbols, m->symbols_room);
        m->symbol[m->symbols++] = (struct datum_symbol){address - m->bias, symbol.st_size, name};
    }
    if (m->symbols)
        qsort(m->symbol, m->symbols, sizeof *m->symbol, by_address);
}

static const char *name_part(struct hd_symbols *s, struct module *m, const struct datum_symbol *symbol, uint64_t offset,
                             uint64_t size)
{
    if (!offset && size == symbol->size)
        return intern(s, hd_demangled(symbol->name));
    if (!m->members)
        m->members = hd_members_new(m->file);
    char *name = hd_demangled(symbol->name);
    char *part = hd_members_path(m->members, symbol->address + m->bias, offset, size);
    char *whole = hd_format("%s%s", name, part);
    free(name);
    free(part);
    return intern(s, whole);
}

static const char *find_global(struct hd_symbols *s, uint32_t index, uint64_t offset, uint64_t size)
{
    struct module *m = open_module(s, index);
    if (m && !m->symbols_read)
        read_symbols(m);
    size_t low = 0, high = m ? m->symbols : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->symbol[middle].address <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    const struct datum_symbol *found = NULL;
    for (size_t back = 0; low > 0 && back < 16; back++) {
        const struct datum_symbol *symbol = &m->symbol[--low];
        if (found && symbol->address != found->address)
            break;
        if (offset - symbol->address < symbol->size)
            found = symbol;
    }
    if (found)
        return name_part(s, m, found, offset - found->address, size);
    const char *path = s->trace->module[index].path, *slash = strrchr(path, '/');
    return intern(s, hd_format("%s+0x%llx", slash ? slash + 1 : path, (unsigned long long)offset));
}

static int by_block(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static void read_blocks(struct hd_symbols *s)
{
    s->blocks_read = true;
    for (size_t i = 0; i < s->trace->events; i++) {
        const struct hd_event *e = &s->trace->event[i];
        if (e->kind != HD_ALLOC || e->value > UINT64_MAX - e->address)
            continue;
        HD_GROW(s->block, s->blocks, s->blocks_room);
        s->block[s->blocks++] = (struct block){e->address, e->value, 0, i};
    }
    if (s->blocks)
        qsort(s->block, s->blocks, sizeof *s->block, by_block);
    uint64_t reach = 0;
    for (size_t i = 0; i < s->blocks; i++) {
        uint64_t end = s->block[i].address + s->block[i].size;
        s->block[i].reach = reach = end > reach ? end : reach;
    }
}

static const char *find_block(struct hd_symbols *s, uint64_t address, uint64_t position)
{
    if (!s->blocks_read)
        read_blocks(s);
    size_t low = 0, high = s->blocks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->block[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct block *found = NULL;
    while (low > 0 && s->block[low - 1].reach > address) {
        const struct block *b = &s->block[--low];
        if (b->position <= position && address - b->address < b->size && (!found || b->position > found->position))
            found = b;
    }
    if (!found)
        return NULL;
    const struct hd_place *place = hd_symbols_place(s, s->trace->event[found->position].site);
    char from[256] = "", at[32] = "";
    if (place->line)
        snprintf(from, sizeof from, " from %.200s:%u", place->file, place->line);
    else if (strcmp(place->function, "?") != 0)
        snprintf(from, sizeof from, " from %.200s()", place->function);
    if (address != found->address)
        snprintf(at, sizeof at, " +%llu", (unsigned long long)(address - found->address));
    return intern(s, hd_format("block of %llu bytes%s%s", (unsigned long long)found->size, from, at));
}

static bool on_stack(const struct hd_trace *t, uint32_t thread, uint64_t address)
{
    return thread < t->threads && address >= t->thread[thread].stack_low &&
           address - t->thread[thread].stack_low < t->thread[thread].stack_size;
}

static const char *find_datum(struct hd_symbols *s, uint64_t address)
{
    const struct hd_trace *t = s->trace;
    size_t low = 0, high = t->data;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->datum[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address - t->datum[low - 1].address >= t->datum[low - 1].size)
        return NULL;
    uint64_t offset = address - t->datum[low - 1].address;
    if (offset == 0)
        return t->datum[low - 1].name;
    return intern(s, hd_format("%s+%llu", t->datum[low - 1].name, (unsigned long long)offset));
}

/* The thread's own stack first: a stack may lie in a heap block, or where a dead thread's was. */
static const char *find_name(struct hd_symbols *s, uint64_t address, uint64_t size, uint64_t position)
{
    const struct hd_trace *t = s->trace;
    const struct hd_event *e = position < t->events ? &t->event[position] : NULL;
    const char *name = find_datum(s, address);
    if (name)
        return name;
    for (uint32_t i = 0; i < t->modules; i++)
        if (address >= t->module[i].base && address - t->module[i].base < t->module[i].size)
            return find_global(s, i, address - t->module[i].base, size);
    if (e && on_stack(t, e->thread, address))
        return intern(s, hd_format("stack of %s in %s()", t->thread[e->thread].path,
                                   hd_symbols_place(s, e->site)->function));
    const char *block = find_block(s, address, position);
    if (block)
        return block;
    for (uint32_t i = 0; i < t->threads; i++)
        if (on_stack(t, i, address))
            return intern(s, hd_format("stack of %s", t->thread[i].path));
    return intern(s, hd_format("0x%llx", (unsigned long long)address));
}

const char *hd_symbols_datum(struct hd_symbols *s, uint64_t position)
{
    if (position >= s->trace->events)
        return "?";
    if (!s->datum[position])
        s->datum[position] =
            (char *)find_name(s, s->trace->event[position].address, s->trace->event[position].size, position);
    return s->datum[position];
}

const char *hd_symbols_object(struct hd_symbols *s, uint32_t object)
{
    if (object >= s->trace->objects)
        return "?";
    if (s->object[object])
        return s->object[object];
    s->object[object] = (char *)find_datum(s, s->trace->object[object].address);
    if (s->object[object])
        return s->object[object];
    uint64_t first = 0;
    while (first < s->trace->events && s->trace->event[first].object != object)
        first++;
    const struct hd_object *o = &s->trace->object[object];
    s->object[object] = (char *)find_name(s, o->address, o->kind != HD_OBJECT_USER, first);
    return s->object[object];
}
