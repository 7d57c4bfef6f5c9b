// SPDX-License-Identifier: Apache-2.0
#include "symbols/members.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "proto/memory.h"

enum { DEPTH = 32, DIMENSIONS = 8 }; /* of types in types; of an array */

struct variable { uint64_t address; Dwarf_Die type; };

struct hd_members {
    Dwfl_Module *file;
    struct variable *variable; /* by address */
    size_t variables, room;
    bool deep; /* those of functions, too */
};

/* ------------------------------------------------------------- variables */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die bare;
    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &bare))
        return false;
    return dwarf_peel_type(&bare, type) == 0;
}

static bool address_of(Dwarf_Die *die, Dwarf_Addr *address)
{
    Dwarf_Attribute attribute, indirect;
    Dwarf_Op *op;
    size_t ops;
    if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &op, &ops) != 0 || ops != 1)
        return false;
    if (op->atom == DW_OP_addrx)
        return dwarf_getlocation_attr(&attribute, op, &indirect) == 0 && dwarf_formaddr(&indirect, address) == 0;
    *address = op->number;
    return op->atom == DW_OP_addr;
}

static void gather(struct hd_members *m, Dwarf_Die *parent, Dwarf_Addr bias, unsigned depth)
{
    Dwarf_Die die;
    if (depth == DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        struct variable v;
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            if (!address_of(&die, &v.address) || !type_of(&die, &v.type))
                break;
            v.address += bias;
            HD_GROW(m->variable, m->variables, m->room);
            m->variable[m->variables++] = v;
            break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            if (m->deep)
                gather(m, &die, bias, depth + 1);
            break;
        case DW_TAG_namespace: gather(m, &die, bias, depth + 1); break;
        default: break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void gather_all(struct hd_members *m, bool deep)
{
    Dwarf_Addr bias = 0;
    m->variables = 0;
    m->deep = deep;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(m->file, unit, &bias)) != NULL;)
        gather(m, unit, bias, 0);
    if (m->variables)
        qsort(m->variable, m->variables, sizeof *m->variable, by_address);
}

struct hd_members *hd_members_new(Dwfl_Module *file)
{
    struct hd_members *m = hd_alloc(sizeof *m);
    m->file = file;
    gather_all(m, false);
    return m;
}

/* Functions are many, and few have variables that stay: they are looked through once, where it must be. */
static const struct variable *find_variable(struct hd_members *m, uint64_t address)
{
    struct variable key = {.address = address};
    for (;;) {
        const struct variable *v =
            m->variables ? bsearch(&key, m->variable, m->variables, sizeof key, by_address) : NULL;
        if (v || m->deep)
            return v;
        gather_all(m, true);
    }
}

void hd_members_free(struct hd_members *m)
{
    if (m)
        free(m->variable);
    free(m);
}

/* ----------------------------------------------------------------- paths */

struct walk { Dwarf_Die type; uint64_t offset, size; char *path; };

static void append(struct walk *w, char *more)
{
    char *longer = hd_format("%s%s", w->path, more);
    free(w->path);
    free(more);
    w->path = longer;
}

static uint64_t bytes_of(Dwarf_Die *type)
{
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static uint64_t number(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : otherwise;
}

/* Elements in each dimension; 0 where that is not known. */
static unsigned dimensions(Dwarf_Die *array, uint64_t *count)
{
    Dwarf_Die range;
    unsigned n = 0;
    if (dwarf_child(array, &range) != 0)
        return 0;
    do
        if (dwarf_tag(&range) == DW_TAG_subrange_type && n < DIMENSIONS) {
            uint64_t last = number(&range, DW_AT_upper_bound, UINT64_MAX);
            count[n++] = number(&range, DW_AT_count, last + 1);
        }
    while (dwarf_siblingof(&range, &range) == 0);
    return n;
}

/* "[2][7]". False: not into an element. */
static bool step_into_array(struct walk *w)
{
    Dwarf_Die element;
    uint64_t count[DIMENSIONS], size = type_of(&w->type, &element) ? bytes_of(&element) : 0;
    unsigned n = dimensions(&w->type, count);
    if (!size || !n || w->offset % size + w->size > size)
        return false;
    uint64_t at = w->offset / size, inner = 1;
    for (unsigned k = 1; k < n; k++)
        inner *= count[k];
    for (unsigned k = 0; k < n; k++) {
        if (!inner)
            return false;
        append(w, hd_format("[%" PRIu64 "]", at / inner));
        at %= inner;
        inner /= k + 1 < n && count[k + 1] ? count[k + 1] : 1;
    }
    w->offset %= size;
    w->type = element;
    return true;
}

static bool is_reserved(const char *name)
{
    return name && name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

struct member { Dwarf_Die die, type; uint64_t at, size; };

static bool read_member(Dwarf_Die *die, struct member *m)
{
    int tag = dwarf_tag(die);
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(die, &m->type))
        return false;
    m->die = *die;
    m->at = number(die, DW_AT_data_member_location, number(die, DW_AT_data_bit_offset, 0) / 8);
    m->size = bytes_of(&m->type);
    return !dwarf_hasattr(die, DW_AT_declaration);
}

static bool holds(const struct member *m, uint64_t offset, uint64_t size)
{
    return offset >= m->at && offset < m->at + m->size && offset + size <= m->at + m->size;
}

/* Is there something of this size at that offset that has no parts, or none that are as large? */
static bool has_part(Dwarf_Die type, uint64_t offset, uint64_t size, unsigned depth)
{
    Dwarf_Die die, element;
    if (offset == 0 && bytes_of(&type) == size)
        return true;
    if (depth == DEPTH)
        return false;
    if (dwarf_tag(&type) == DW_TAG_array_type) {
        uint64_t each = type_of(&type, &element) ? bytes_of(&element) : 0;
        return each && has_part(element, offset % each, size, depth + 1);
    }
    if (dwarf_child(&type, &die) != 0)
        return false;
    do {
        struct member m;
        if (read_member(&die, &m) && holds(&m, offset, size) && has_part(m.type, offset - m.at, size, depth + 1))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* The member that the access is in; of several, in a union, the first that has a part of its size there. */
static bool find_member(const struct walk *w, struct member *best)
{
    Dwarf_Die parent = w->type, die;
    bool found = false, fits = false;
    if (dwarf_child(&parent, &die) != 0)
        return false;
    do {
        struct member m;
        if (!read_member(&die, &m) || !holds(&m, w->offset, w->size))
            continue;
        bool fit = has_part(m.type, w->offset - m.at, w->size, 0);
        if (!found || (fit && !fits)) {
            *best = m;
            fits = fit;
        }
        found = true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return found;
}

static bool step_into_struct(struct walk *w)
{
    struct member m;
    if (!find_member(w, &m))
        return false;
    const char *name = dwarf_tag(&m.die) == DW_TAG_member ? dwarf_diename(&m.die) : NULL;
    if (is_reserved(name))
        return false;
    if (name)
        append(w, hd_format(".%s", name));
    w->offset -= m.at;
    w->type = m.type;
    return true;
}

static bool step(struct walk *w)
{
    switch (dwarf_tag(&w->type)) {
    case DW_TAG_array_type: return step_into_array(w);
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_class_type: return step_into_struct(w);
    default: return false;
    }
}

char *hd_members_path(struct hd_members *m, uint64_t variable, uint64_t offset, uint64_t size)
{
    const struct variable *v = find_variable(m, variable);
    struct walk w = {.offset = offset, .size = size, .path = hd_strdup("")};
    if (v) {
        w.type = v->type;
        for (unsigned depth = 0; depth < DEPTH && (w.offset || w.size) && step(&w);)
            depth++;
    }
    if (w.offset)
        append(&w, hd_format("+%" PRIu64, w.offset));
    return w.path;
}
